"""Child processes that never outlive the process that started them."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

POLL_SECONDS = 0.02
TAIL_CHARACTERS = 4_000
STARTS_WITHIN_SECONDS = 300.0

SUPPORT = Path(__file__).parents[1]


class ServerStartError(Exception):
    """A server, or what makes its database, ended instead of starting; with its last words."""


def with_tests() -> dict[str, str]:
    """The variables of a child that imports the tests' modules, and what its parent imports."""
    inherited = os.environ.get("PYTHONPATH", "")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(SUPPORT), inherited]))}


def start(
    command: Sequence[str | Path],
    log: Path,
    *,
    reads_stdin: bool = False,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.Popen[str]:
    """Start ``command`` in a group of its own, with stdout and stderr in ``log``.

    The kernel kills the child when the thread that called this function ends, a
    kill -9 of this process included: call it from the main thread. The wrapper
    execs, so ``pid`` is the command's own. util-linux does this between fork and
    exec, where Python code of a process with threads could deadlock.
    """
    with log.open("a") as output:
        return subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *command],
            stdin=subprocess.PIPE if reads_stdin else subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=None if env is None else {**os.environ, **env},
            start_new_session=True,
            text=True,
        )


def stop(process: subprocess.Popen[str], grace: float = 15.0) -> None:
    """Ask ``process`` to end, by EOF or SIGTERM; after ``grace`` seconds, make it.

    What is left of its group, such as the JVM of a PySpark session, ends with it.
    """
    _ask_to_end(process)
    with suppress(subprocess.TimeoutExpired):
        process.wait(grace)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def is_there(group: int) -> bool:
    """True while a process of the group lives."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Callable[[], bool], within: float, what: str) -> None:
    """Return once ``condition`` holds; raise TimeoutError after ``within`` seconds."""
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {within:g} s")
        time.sleep(POLL_SECONDS)


def wait_for_server(
    process: subprocess.Popen[str], is_up: Callable[[], bool], what: str, log: Path
) -> None:
    """Return once a server ``is_up``; raise ServerStartError if it ends first."""
    wait_until(
        lambda: process.poll() is not None or is_up(),
        STARTS_WITHIN_SECONDS,
        f"{what}, log in {log}",
    )
    if process.poll() is not None:
        raise ServerStartError(f"{what}: it ended with {process.returncode}:\n{tail(log)}")


def tail(log: Path) -> str:
    """Return the end of ``log``, for a message."""
    return log.read_text(errors="replace")[-TAIL_CHARACTERS:]


def _ask_to_end(process: subprocess.Popen[str]) -> None:
    if process.stdin is None:
        process.terminate()
    else:
        with suppress(BrokenPipeError):
            process.stdin.close()
