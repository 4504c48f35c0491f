"""A right adapter of the executor contract, with a fake of its runtime.

    adaptercheck run --profile executor -- python3 bridges/python executor_ok.py
"""

from lib.harness import Harness


class Subject(Harness):
    name = "python-executor-ok"


subject = Subject
