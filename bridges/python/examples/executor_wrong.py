"""A subtly wrong executor adapter: the terminal frame ends its run, and so does the end of the connection that follows.

Everything else is as in executor_ok.py.
"""

from __future__ import annotations

import executor_ok as right


class TwiceOver(right.LiveRun):
    def _emit(self, kind, **fields):
        super()._emit(kind, **fields)
        if kind == "done":  # what closes the connection reports an end of its own
            super()._emit(kind, **fields)


class Adapter(right.Adapter):
    id = "python-example-wrong"
    run_type = TwiceOver


class Harness(right.Harness):
    name = "python-executor-wrong"

    def make_adapter(self):
        return Adapter(self._runtime)


subject = Harness
