"""An adapter of `codex exec --json`: one process per run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import uuid

from .codex_mapper import CodexMapper
from .feed import Ended, Feed
from .sessions import Failure, Handle, inside, live

GRACE = 0.3  # seconds between one signal and the next, and for an exit after the result
HEALTH = 1.5  # seconds
MAX_ARGUMENT = 100_000  # bytes; Linux takes no argument of 128 KiB or more
ENV = ("PATH", "HOME", "LANG", "TMPDIR")
PUSH = (signal.SIGTERM, signal.SIGKILL)
ABORT = (signal.SIGINT, *PUSH)
CHUNK = 65536


class Session:
    """What outlives a run."""

    def __init__(self):
        self.thread = self.model = self.current = None
        self.totals, self.context = {}, []


class LiveRun:
    """One process, from its start until it is gone."""

    def __init__(self, handle, session):
        self.session = session
        self.mapper = CodexMapper(session.totals)
        self.feed = Feed(handle)
        self.aborted = self.pushed = False
        self.id = str(uuid.uuid4())
        self.process = self.gone = self._settling = None
        self._timers = []

    def begin(self, process, stdin):
        self.process = process
        self.gone = asyncio.create_task(self._serve(stdin))

    def abort(self):
        if not self.aborted:
            self.aborted = True
            self._end(ABORT)

    async def _serve(self, stdin):
        reading = [asyncio.create_task(work) for work in (self._read(), drain(self.process.stderr), feed(self.process.stdin, stdin))]
        failed = await self.process.wait() != 0
        # What holds the pipes open after the exit must not hold the run.
        await asyncio.wait(reading, timeout=GRACE)
        for work in reading:
            work.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
        for timer in (self._settling, *self._timers):
            if timer:
                timer.cancel()
        self.session.current = None  # free before anybody can see the done
        self._publish(self.mapper.finish(self.aborted, failed and not self.pushed))
        self.feed.end()

    async def _read(self):
        pending = b""
        try:
            while chunk := await self.process.stdout.read(CHUNK):
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    self._line(line)
        finally:
            if pending:
                self._line(pending)
        self._settling = self._settling or self._later(self._push)

    def _line(self, line):
        if not line.strip():
            return
        self._publish(self.mapper.line(line.decode(errors="replace")))
        self.session.thread = self.mapper.thread or self.session.thread
        # A result stands and nothing is announced: the process should exit now.
        settled = self.mapper.outcome is not None and not self.mapper.turn_open
        if settled and not self._settling:
            self._settling = self._later(self._push)
        elif not settled and self._settling:
            self._settling.cancel()
            self._settling = None

    def _publish(self, events):
        self.feed.publish(self.id, self.mapper.thread, events)

    def _push(self):
        self.pushed = True
        self._end(PUSH)

    def _end(self, signals):
        for i, number in enumerate(signals):
            self._timers.append(self._later(lambda number=number: send(self.process, number), i * GRACE))

    def _later(self, act, seconds=GRACE):
        return asyncio.get_running_loop().call_later(seconds, act)


class CodexAdapter:
    """Starts codex for every run. A session with a live run refuses a second one."""

    id = "example-codex"
    participant_kind = "agent"

    def __init__(self, endpoint):
        self._at = endpoint
        self._sessions = {}
        self._live = set()
        self._disposed = False

    def capabilities(self):
        return {"streaming": False, "mcp": False, "worktrees": False, "resume": False, "toolApproval": False, "models": []}

    async def health(self):
        try:
            process = await self._spawn(["--version"], stdin=False)
        except OSError:
            return {"ok": False, "message": "the codex command cannot be started"}
        try:
            async with asyncio.timeout(HEALTH):
                await asyncio.gather(process.wait(), drain(process.stdout), drain(process.stderr))
        except TimeoutError:
            send(process, signal.SIGKILL)
            await process.wait()
        return {"ok": True} if process.returncode == 0 else {"ok": False, "message": "the codex command did not answer"}

    async def start(self, task, opts):
        if self._disposed:
            raise Failure("disposed", "the adapter is disposed")
        session = self._sessions.setdefault(opts.session_key, Session())
        if session.current:
            raise Failure("busy", "the session has a live run")
        handle = Handle(self.id, opts.session_key)
        run = session.current = LiveRun(handle, session)
        context, session.context = session.context, []
        prompt = "\n\n".join([*context, *([opts.context] if opts.context else []), opts.message])
        by_stdin = prompt == "-" or len(prompt.encode()) > MAX_ARGUMENT or "\0" in prompt
        model = opts.model or session.model
        args = ["exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write"]
        args += ["--model", model] if model else []
        args += ["resume", session.thread] if session.thread else []
        try:
            process = await self._spawn([*args, *(["-"] if by_stdin else ["--", prompt])], by_stdin)
        except OSError:
            session.current = None
            session.context = context + session.context
            raise Failure("refused", "the codex command cannot be started") from None
        run.begin(process, prompt.encode())
        handle.live = run
        self._live = {one for one in self._live if not one.gone.done()} | {run}
        if self._disposed:  # meanwhile, and dispose did not know of it
            run.abort()
        return handle

    def events(self, handle):
        run = live(handle)
        return run.feed.subscribe() if run else Ended()

    async def abort(self, handle):
        self._known(handle)
        run = live(handle)
        if run and not run.gone.done():
            run.abort()

    # Both reach the runtime with the session's next run.

    async def set_model(self, handle, model):
        self._known(handle).model = model

    async def write_context(self, handle, key, value):
        self._known(handle).context.append(f"{inside(key)}:\n{value}")

    async def dispose(self):
        self._disposed = True
        for run in self._live:
            if not run.gone.done():
                run.abort()
        await asyncio.gather(*(run.gone for run in self._live))

    async def _spawn(self, args, stdin):
        env = {name: os.environ[name] for name in ENV if name in os.environ}
        env |= dict(entry.split("=", 1) for entry in self._at.env or ())
        if self._at.dir:
            env["CODEX_HOME"] = self._at.dir
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *self._at.command, *args, cwd=self._at.dir or None, env=env, start_new_session=True,
            stdin=pipe if stdin else asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe,
        )  # fmt: skip

    def _known(self, handle):
        if handle.session_key not in self._sessions:
            raise Failure("unknown-run", "unknown run")
        return self._sessions[handle.session_key]


async def drain(stream):
    """Read a stream to its end: what it says is no answer."""
    while await stream.read(CHUNK):
        pass


async def feed(stdin, data):
    """Write the prompt, if it goes there."""
    if stdin is None:
        return
    with contextlib.suppress(OSError):  # the process has ended already
        stdin.write(data)
        await stdin.drain()
        stdin.close()


def send(process, number):
    """Signal the process and the children in its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
