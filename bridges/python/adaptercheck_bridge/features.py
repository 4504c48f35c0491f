"""What a subject offers, derived from what it has."""

from __future__ import annotations

from typing import Any

from . import calls
from .fields import has, member
from .frames import Vocabulary

# Faults that a harness with a `fault` function and no list of its own is asked for.
USUAL_FAULTS = frozenset({"silent", "refuse", "down", "cut", "exit"})

# What an adapter behind a fake of the suite's can be seen to do without parts of its own. The rest is said in `features`.
WIRE = (
    "native-run-id", "init", "deltas", "reasoning", "tools", "partial-input", "usage", "money", "max-turns", "token-limit",
    "retract", "terminal-frame", "framed", "second-run", "sessions", "start-options", "health-down", "refuse", "silent", "cut",
    "exit-codes", "process", "observers", "unknown-frames",
)  # fmt: skip


def faults(harness: Any) -> frozenset[str]:
    """The faults that a harness plays itself: its `faults`, else the usual ones if it has a `fault` function."""
    if not has(harness, "fault"):
        return frozenset()
    own = member(harness, "faults", None)
    return USUAL_FAULTS if own is None else frozenset(own)


def addressed(harness: Any) -> bool:
    """Report whether `emit` can be told for which session a frame is."""
    return calls.takes(member(harness, "emit"), "session")


def told(harness: Any) -> bool:
    """Report whether `start` takes the suite's task and options beside the adapter."""
    return has(harness, "start") and calls.room(member(harness, "start")) >= 3


def of_harness(harness: Any) -> list[str]:
    """The features of a harness subject."""
    v, f = Vocabulary(member(harness, "frames")), faults(harness)
    passive = "hold" not in f
    derived = {
        "deltas": v.has("delta"),
        "init": v.has("init"),
        "native-run-id": v.has("init", 1),
        "reasoning": v.has("reasoning"),
        "tools": v.has("tool_call", 3) and v.has("tool_result"),
        "partial-input": v.has("tool_call_part"),
        "usage": v.has("usage"),
        "money": v.has("usage"),
        "max-turns": v.has("max_turns") or v.has("end"),
        "token-limit": v.has("end"),
        "terminal-frame": v.has("end"),
        "retract": v.has("snapshot") and v.places() and v.has("message") and v.has("turn"),
        "framed": v.has("malformed"),
        "unknown-frames": v.has("unknown"),
        "approvals": v.has("ask"),
        "second-run": addressed(harness),
        "sessions": addressed(harness),
        "start-options": told(harness),
        "health-down": "down" in f,
        "refuse": "refuse" in f,
        "cut": "cut" in f,
        "silent": passive or "silent" in f,
        "observers": True,
    }
    return _final([name for name, there in derived.items() if there], harness)


def of_wire(factory: Any) -> list[str]:
    """The features of a subject that the suite's own fake stands behind."""
    return _final(list(WIRE), factory)


def of_history(factory: Any) -> list[str]:
    """The features of a history subject: only what it says."""
    return _final([], factory)


def declares(subject: Any) -> dict[str, str]:
    """Which of several right behaviours the adapter has, under the protocol's names."""
    words = member(subject, "declares", None) or {}
    out = {}
    for key in ("second_start", "queue", "blocklist"):
        value = member(words, key, None)
        if value is not None:
            out["secondStart" if key == "second_start" else key] = str(value)
    return out


def _final(derived: list[str], subject: Any) -> list[str]:
    """Add what the subject says it offers, and take away what it says it lacks."""
    more, less = member(subject, "features", None) or (), set(member(subject, "lacks", None) or ())
    return [name for name in dict.fromkeys([*derived, *more]) if name not in less]
