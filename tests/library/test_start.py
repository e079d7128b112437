"""A start that a signal ends: its JVM, and the embedded metastore that it had begun to create."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark import java_gateway

from ctas_spark.engines import start
from ctas_spark.engines.embedded import DIRECTORY, WRITTEN_LAST
from ctas_spark.engines.start import Start
from ctas_spark.errors import JobCanceledError

STUBBORN = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True)"
)


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the start would create its metastore."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / DIRECTORY


def launched(program: str = "print('ready', flush=True)") -> Any:
    """A process, started as PySpark starts its JVM, that lives until its stdin is closed."""
    command = [sys.executable, "-c", f"{program}; input()"]
    popen = java_gateway.Popen  # type: ignore[attr-defined]
    return popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ready(program: str = "print('ready', flush=True)") -> Any:
    """The same, once it has done what it does first."""
    jvm: Any = launched(program)
    assert jvm.stdout.readline() == b"ready\n"
    return jvm


def ended(during: Callable[[], Any]) -> Any:
    """A start that is ended after ``during``, and what that returned."""
    starting, got = Start(), []

    def broken_off() -> None:
        with starting.under_way(Path.cwd()):
            got.append(during())
            assert starting.end()

    with pytest.raises(JobCanceledError):
        broken_off()
    assert not starting.end()
    return got[0]


def test_the_jvm_ends_by_sigterm() -> None:
    """So Spark removes its temporary files."""
    assert ended(ready).wait() == -signal.SIGTERM


def test_a_jvm_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user waits for seconds, and not for a JVM that hangs."""
    monkeypatch.setattr(start, "GRACE_SECONDS", 0.01)
    assert ended(lambda: ready(STUBBORN)).wait() == -signal.SIGKILL


def test_what_is_launched_after_the_signal_ends_as_well() -> None:
    """The signal may come before there is a process."""
    starting, jvms = Start(), []

    def broken_off() -> None:
        with starting.under_way(Path.cwd()):
            assert starting.end()
            jvms.append(launched())

    with pytest.raises(JobCanceledError):
        broken_off()
    assert jvms[0].wait() == -signal.SIGTERM


def test_no_thread_starts_spark_again_until_the_invocation_is_over() -> None:
    """Threads that waited for the start are refused."""
    starting = Start()
    with pytest.raises(JobCanceledError), starting.under_way(Path.cwd()):
        starting.end()
    with pytest.raises(JobCanceledError):
        starting.require_not_ended()
    starting.forget()
    starting.require_not_ended()


def test_the_metastore_that_it_had_begun_to_create_is_removed(directory: Path) -> None:
    """Derby could never open it again."""
    ended(directory.mkdir)
    assert not directory.exists()


def test_a_metastore_that_was_there_before_is_left(directory: Path) -> None:
    """Whatever state it is in: this start has not created it."""
    directory.mkdir()
    ended(lambda: None)
    assert directory.exists()


def test_a_metastore_that_is_finished_is_left(directory: Path) -> None:
    """Derby opens it, and another run may use it already."""

    def finish() -> None:
        directory.mkdir()
        (directory / WRITTEN_LAST).touch()

    ended(finish)
    assert directory.exists()


def test_a_metastore_that_another_process_creates_is_left(directory: Path) -> None:
    """The files that it has open show that it is at work."""

    def open_by_another() -> Any:
        directory.mkdir()
        return (directory / "dbex.lck").open("w")

    others = ended(open_by_another)
    assert directory.exists()
    others.close()
