"""Lets the bridge run from a checkout without being installed: `python3 bridges/python MODULE.py`."""

from adaptercheck_bridge.__main__ import main

if __name__ == "__main__":
    main()
