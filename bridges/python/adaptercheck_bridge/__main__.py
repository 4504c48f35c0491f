"""The command: `python3 -m adaptercheck_bridge MODULE.py[:name]`.

It exits with 0 when its input ends, with 2 when it is called wrongly or there is no subject in the module, and with 1 when the
module fails.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import traceback

USAGE = "usage: adaptercheck-bridge MODULE.py[:NAME]"
_PATIENCE = 1.0  # seconds that what the adapter left behind has to end by itself
_COLLECT_AFTER = 100_000  # objects; after a few hundred, as is usual, a long history is searched thousands of times while it is read


def main(argv: list[str] | None = None) -> None:
    """Serve the subject that the arguments name on standard input and output."""
    args = sys.argv[1:] if argv is None else argv
    if len(args) != 1 or args[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        sys.exit(2)

    from . import stdio

    incoming, outgoing = stdio.take()  # before the module is loaded: it may print
    sys.argv = [args[0]]
    gc.set_threshold(_COLLECT_AFTER)

    from .loading import LoadError, load
    from .server import Server

    try:
        subject = load(args[0])
    except LoadError as e:
        print(f"adaptercheck bridge: {e}", file=sys.stderr)
        sys.exit(2)
    except Exception:
        traceback.print_exc()
        sys.exit(1)

    async def serve() -> None:
        await Server(subject, incoming, outgoing).serve()
        # The suite is gone. Tasks that cannot be cancelled and threads that do not end must not keep the process.
        watch = threading.Timer(_PATIENCE, os._exit, (0,))
        watch.daemon = True
        watch.start()

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
