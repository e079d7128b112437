"""Start a warm Spark in a process that outlives this one, and end it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyspark

from ..engines import embedded
from ..engines.java_options import LOG
from ..engines.launch import CONSOLE
from ..errors import SparkNotStartedError
from . import sockets
from .attached import find, named
from .needs import Needs
from .resident import STOP, Order

PROGRAM = f"""
import sys
sys.path = [one for one in sys.path if one]  # else what lies in the working directory is imported
from {__package__}.resident import main
main()
"""


def start(needs: Needs, order: Order, say: Callable[[str], None]) -> str:
    """Start a warm Spark for runs with these needs, unless there is one: what is there now.

    Raises:
        MetastoreInUseError: another Spark has the embedded metastore open.
        SparkNotStartedError: it could not start.
    """
    if found := find(needs, say):
        visit, _ = found
        visit.close()
        return f"{named(visit)} is already running; its log is {visit.greeting['log']}"
    say(f"Starting Spark {pyspark.__version__}; its log is {Path(order.logs, LOG)}")
    process, minutes = _launched(order), order.idle_seconds / 60
    return (
        f"a warm Spark runs now, in process {process}. Runs of dbt in this directory use it; it "
        f"ends after {minutes:.0f} minutes without one"
    )


def stop(needs: Needs, say: Callable[[str], None]) -> list[int]:
    """End those that were started in this directory, or have its metastore; their processes."""
    ended = []
    for visit in sockets.visits():
        if needs.shares_directory(visit.greeting) or needs.shares_database(visit.greeting):
            if runs := visit.ask({"do": STOP}).get("runs"):
                processes = ", ".join(map(str, runs))
                say(f"{named(visit)} ends when these processes have ended: {processes}")
            visit.wait_for_the_end()
            ended.append(int(visit.greeting["pid"]))
        visit.close()
    return ended


def _launched(order: Order) -> int:
    """The process, once Spark can be used. It is ended if this one is interrupted before that."""
    Path(order.logs).mkdir(parents=True, exist_ok=True)
    with Path(order.logs, CONSOLE).open("ab") as console:
        process = subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=console,
            text=True,
            start_new_session=True,
        )
    try:
        said = _answer(process, order.text)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    answer = json.loads(said) if said else {"failed": f"it ended at once; see {order.logs}"}
    if failure := answer.get("failed"):
        process.wait()
        raise embedded.explained(failure) or _not_started(failure, order.logs)
    return process.pid


def _answer(process: "subprocess.Popen[str]", order: str) -> str:
    """Its only line; empty if it ended without one."""
    if process.stdin is None or process.stdout is None:
        return ""
    with process.stdin, process.stdout:
        process.stdin.write(order)
        process.stdin.close()
        return process.stdout.readline()


def _not_started(failure: str, logs: str) -> SparkNotStartedError:
    return SparkNotStartedError(
        f"a warm Spark could not start: {failure.splitlines()[0]}",
        left="nothing was started",
        remedy=f"check spark_conf of the profile; the logs in {logs} say more",
    )
