"""Serves an adapter written in Python to adaptercheck, over the subject protocol.

Run it as `python3 -m adaptercheck_bridge MODULE.py[:name]`. An adapter needs nothing of this package; what an author may
want to import are the types in `adaptercheck_bridge.types`.
"""

__version__ = "0.1.0"
