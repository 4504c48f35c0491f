"""The adapter of executor_ok.py with one small mistake: it counts the runtime's running totals from zero in every run.

They run over the whole session, so a session's second run is billed for its first once more. The suite says so: usage-cumulative.
"""

from lib.harness import Harness
from lib.mapper import Mapper


class ForgetfulMapper(Mapper):
    def __init__(self, totals):
        super().__init__({})  # the session's totals belong here


class Subject(Harness):
    name = "python-executor-wrong"
    make_mapper = ForgetfulMapper


subject = Subject
