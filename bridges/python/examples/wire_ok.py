"""A right adapter in wire mode: adaptercheck plays the runtime, as a command that behaves like the real one.

    adaptercheck run --profile executor --fake codex -- python3 bridges/python wire_ok.py
"""

from lib.codex_adapter import CodexAdapter


class Factory:
    name = "python-example-codex"
    # What the adapter leaves out is not listed: it keeps no sessions over a restart, and does not look for tool processes
    # outside its own process group.
    features = [
        "init", "reasoning", "tools", "usage", "token-limit", "terminal-frame", "framed", "second-run", "sessions",
        "start-options", "health-down", "silent", "cut", "observers", "unknown-frames", "live-text",
    ]  # fmt: skip
    declares = {"second_start": "refuses", "queue": "drop", "blocklist": "undeliverable"}

    def make_adapter(self, endpoint):
        return CodexAdapter(endpoint)


subject = Factory
