"""What a subject offers, read off what it has."""

from __future__ import annotations

from typing import Any

from . import calls
from .fields import camel, has, member
from .frames import Vocabulary

# The features that frames show, each with the frames that it takes.
FROM_FRAMES = (
    ("deltas", ("delta",)),
    ("live-text", ("delta",)),
    ("live-text", ("message",)),
    ("terminal-frame", ("final",)),
    ("init", ("init",)),
    ("native-session", ("init",)),
    ("reasoning", ("reasoning",)),
    ("tools", ("tool_call", "tool_result")),
    ("partial-input", ("tool_call", "tool_result", "tool_call_part")),
    ("usage", ("usage",)),
    ("max-turns", ("max_turns",)),
    ("token-limit", ("token_limit",)),
    ("framed", ("malformed",)),
    ("unknown-frames", ("unknown",)),
    ("approvals", ("ask",)),
)

# What the wire of a runtime may have.
WIRE = (
    "native-run-id", "init", "deltas", "reasoning", "tools", "partial-input", "usage", "money", "max-turns", "token-limit",
    "retract", "terminal-frame", "framed", "second-run", "sessions", "start-options", "health-down", "refuse", "silent", "cut",
    "exit-codes", "approvals", "steer", "codec", "process", "observers", "unknown-frames", "mild-errors",
    "live-text", "native-session", "nested", "connected", "reconnect",
)  # fmt: skip


HISTORY = ("source", "append", "ports")

WORDS = {"second_start": ("queues", "refuses"), "queue": ("drop", "block"), "blocklist": ("delivered", "undeliverable")}


class UnknownWord(Exception):
    """A subject says something of itself in a word that there is not."""


def told(harness: Any) -> bool:
    """Report whether `start` takes the suite's task and options beside the adapter."""
    return has(harness, "start") and calls.room(member(harness, "start")) >= 3


def of_harness(harness: Any) -> list[str]:
    """The features of a harness: those that its frames show, and those that it names."""
    frames = Vocabulary(member(harness, "frames"))
    found = [name for name, needed in FROM_FRAMES if all(map(frames.has, needed))]
    if frames.says_mild():
        found.append("mild-errors")
    if not has(harness, "fault"):
        found.append("silent")  # the bridge holds its frames back
    return list(dict.fromkeys([*found, *_named(harness, ())]))


def of_wire(factory: Any) -> list[str]:
    """The features of a subject in wire mode: those that it names, else all of the wire."""
    return _named(factory, WIRE)


def of_history(factory: Any) -> list[str]:
    """The features of a history factory: those that it names, else its source."""
    return _named(factory, ("source",))


def declares(subject: Any) -> dict[str, str]:
    """Which of several right behaviours the adapter has, under the protocol's names."""
    said = member(subject, "declares", None) or {}
    out = {}
    for key, words in WORDS.items():
        value = member(said, key, None)
        if value is not None:
            out[camel(key)] = _known("declares." + key + " is", value, words)
    return out


def _named(subject: Any, otherwise: tuple[str, ...]) -> list[str]:
    """The features that a subject lists."""
    own = member(subject, "features", None)
    if own is None:
        return list(otherwise)
    return list(dict.fromkeys(_known("features has", word, WIRE + HISTORY) for word in own))


def _known(where: str, word: Any, words: tuple[str, ...]) -> str:
    if word not in words:
        raise UnknownWord(f"{where} {word!r}, not one of {', '.join(words)}")
    return str(word)
