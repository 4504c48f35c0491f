"""A run as the bridge keeps it: the adapter's handle, and what the fake has been told to say of it."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import raw
from .fields import member
from .frames import Said


@dataclasses.dataclass(eq=False)
class Run:
    """A handle of the adapter's, or of nobody's."""

    handle: Any
    session: str | None = None  # that the suite asked for
    own: str | None = None  # that the harness started it with, if it is another
    native: str | None = None  # the run id that an init frame gave
    said: Said = dataclasses.field(default_factory=Said)
    silent: bool = False  # the bridge holds its frames back
    passive: bool = False  # a cancel changes nothing
    ended: bool = False  # its end was said

    def shown(self) -> dict[str, Any]:
        """The handle as it stands now. What is not there is left out."""
        out = {}
        for key, name in (("adapterId", "adapter_id"), ("sessionKey", "session_key"), ("runId", "run_id")):
            try:
                out[key] = raw.encode(member(self.handle, name))
            except AttributeError:
                pass
            except Exception:
                out[key] = raw.token("throws")
        return self.aliased(out, "sessionKey")

    def aliased(self, record: Any, key: str) -> Any:
        """Name the suite's session where the harness's own is named in its place."""
        if self.own is not None and isinstance(record, dict) and record.get(key) == self.own:
            record[key] = self.session
        return record

    def address(self) -> dict[str, Any]:
        """How the harness is told of the run: its session, its native run id, the adapter's handle. What is not known is left out."""
        known = {"session": self.session if self.own is None else self.own, "run": self.native, "handle": self.handle}
        return {name: value for name, value in known.items() if value is not None}
