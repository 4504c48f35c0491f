"""What both example adapters hand out and raise."""

from __future__ import annotations

import dataclasses
from typing import Any


class Failure(Exception):
    """A refused call. The code tells a host why."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


@dataclasses.dataclass(eq=False)
class Handle:
    """One run as the host holds it. What the adapter keeps of the run lives as long as its handle."""

    adapter_id: str
    session_key: str
    run_id: str | None = None
    live: Any = None


def inside(key):
    """Give back the key of a context file. Raises Failure for one that leads out of its directory."""
    parts = key.replace("\\", "/").split("/")
    if not key or parts[0] == "" or ".." in parts or "\0" in key or key[1:2] == ":":
        raise Failure("invalid-key", "the key leads out of the context directory")
    return key


def live(handle):
    """What the adapter keeps of a run, None for a handle that it never gave out or restored."""
    return handle.live if isinstance(handle, Handle) else None
