"""The process's own channel: standard input and output belong to the protocol, and nothing of the adapter's gets into them."""

from __future__ import annotations

import os
import select
import sys
from typing import BinaryIO


def take() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output for the protocol, and give the adapter others in their place.

    What the adapter, its libraries and its child processes print goes to standard error; what they read is empty. The returned
    files are the real ones, on descriptors that children do not inherit.
    """
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    os.close(nothing)
    # print() still writes to descriptor 1, which is another file now. It should appear when it is printed.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    return incoming, outgoing


def write_all(file: BinaryIO, data: bytes) -> None:
    """Write everything to an unbuffered file, which may take it in pieces."""
    view = memoryview(data)
    while view:
        n = file.write(view)
        if n is None:  # it is full, and shares its mode with an input that must not block
            select.select([], [file], [])
        else:
            view = view[n:]
