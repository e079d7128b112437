"""SIGTERM cancels as Ctrl-C does, and the program around the run keeps its handlers."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from dbt.adapters.ctas_spark.termination import Termination

RUN = """
import signal
from dbt.adapters.ctas_spark.termination import Termination
termination = Termination(lambda: False, lambda: print("cancelled", flush=True))
termination.watch()
try:
    signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    print("cleaned up", flush=True)
termination.restore()
print("went on", flush=True)
"""


@pytest.fixture(autouse=True)
def ctrl_c_as_python_has_it() -> Iterator[None]:
    """No other test's run handles it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def hosts_signals() -> Iterator[list[int]]:
    """The signals that the handler of the program around the run got."""
    got: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: got.append(number))
    yield got
    signal.signal(signal.SIGTERM, before)


def test_a_process_without_a_handler_cleans_up_and_then_ends_of_the_signal() -> None:
    """The parent process sees the exit that it would have seen without this adapter."""
    ended = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=False)
    assert ended.stdout.split("\n") == ["cancelled", "cleaned up", ""]
    assert ended.returncode == -signal.SIGTERM


def test_the_programs_own_handler_is_called_and_restored(hosts_signals: list[int]) -> None:
    """A program with a handler goes on after the run, and has it back."""
    own = signal.getsignal(signal.SIGTERM)
    canceled: list[str] = []
    termination = Termination(lambda: False, lambda: canceled.append("run"))
    termination.watch()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    termination.restore()
    assert canceled == ["run"]
    assert hosts_signals == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) is own


def test_a_second_signal_does_not_break_off_the_clean_up(hosts_signals: list[int]) -> None:
    """Only the first one raises."""
    termination = Termination(lambda: False, lambda: None)
    termination.watch()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)
    termination.restore()
    assert len(hosts_signals) == 1


def test_another_thread_leaves_signals_alone(hosts_signals: list[int]) -> None:
    """Only the main thread may set handlers; a run in another one is not cancelled by SIGTERM."""
    own = signal.getsignal(signal.SIGTERM)
    termination = Termination(lambda: False, lambda: None)
    thread = threading.Thread(target=termination.watch)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) is own
    termination.restore()
    assert hosts_signals == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_ignored_signal_stays_ignored(number: signal.Signals) -> None:
    """A program that was started to survive it does."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        termination = Termination(lambda: False, lambda: None)
        termination.watch()
        assert signal.getsignal(number) is signal.SIG_IGN
        termination.restore()
    finally:
        signal.signal(number, before)


def test_a_handler_that_came_later_stays(hosts_signals: list[int]) -> None:
    """What somebody set during the run is not undone by its end."""
    termination = Termination(lambda: False, lambda: None)
    termination.watch()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    termination.restore()
    assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    assert hosts_signals == []


def test_signals_that_end_a_start_raise_nothing(hosts_signals: list[int]) -> None:
    """The start fails, and dbt prints why; a KeyboardInterrupt would be a traceback."""
    canceled: list[str] = []
    termination = Termination(lambda: True, lambda: canceled.append("run"))
    termination.watch()
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)
    termination.restore()
    assert canceled == ["run"]
    assert hosts_signals == [signal.SIGTERM]


def test_ctrl_c_later_is_pythons_own(hosts_signals: list[int]) -> None:
    """dbt cancels the models, and nothing of it outlives the run."""
    termination = Termination(lambda: False, lambda: None)
    termination.watch()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    termination.restore()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert hosts_signals == []
