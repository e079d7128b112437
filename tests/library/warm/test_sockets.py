"""How a process finds a warm Spark of its user, and whom it does not believe."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ctas_spark.warm import sockets


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of this user's sockets, whose path is longer than a socket's may be."""
    runtime = tmp_path / ("long" * 30)
    runtime.mkdir()
    monkeypatch.setenv(sockets.RUNTIME, str(runtime))
    return runtime / "dbt-ctas-spark"


@contextmanager
def listening() -> Iterator[Path]:
    """One that greets its first visitor, and answers what it is asked."""
    path = sockets.own_path()
    with socket.socket(socket.AF_UNIX) as listener:
        with sockets.short(path) as name:
            listener.bind(name)
        listener.listen()
        thread = threading.Thread(target=_greet, args=(listener,), daemon=True)
        thread.start()
        yield path
        with suppress(OSError):  # its visitor may be gone by now
            listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def _greet(listener: socket.socket) -> None:
    try:
        connection, _ = listener.accept()
    except OSError:  # nobody came
        return
    with connection, connection.makefile("rw") as lines:
        lines.write(sockets.line({"pid": 1}))
        lines.flush()
        lines.write(lines.readline())


def test_a_visitor_is_greeted_and_answered() -> None:
    """Each message is a line."""
    with listening():
        (visit,) = sockets.visits()
        assert visit.greeting == {"pid": 1}
        assert visit.ask({"do": "echo"}) == {"do": "echo"}
        visit.wait_for_the_end()
        visit.close()


def test_a_socket_of_a_dead_process_is_removed() -> None:
    """Nobody listens on it any more."""
    path = sockets.own_path()
    with socket.socket(socket.AF_UNIX) as died, sockets.short(path) as name:
        died.bind(name)
    assert list(sockets.visits()) == []
    assert not path.exists()


@pytest.mark.parametrize("mode", [0o710, 0o701, 0o777])
def test_a_directory_that_is_open_to_others_is_ignored(home: Path, mode: int) -> None:
    """Anybody could have put a socket there, and would be handed what a run sends."""
    with listening() as path:
        home.chmod(mode)
        assert list(sockets.visits()) == []
        with pytest.raises(PermissionError, match="only this user may enter"):
            sockets.own_path()
        assert path.exists()


def test_a_directory_of_another_user_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under sudo, which may leave the variables of the user who called it."""
    with listening():
        monkeypatch.setattr("os.getuid", lambda: 4711)
        assert list(sockets.visits()) == []


def test_only_this_user_may_enter(home: Path) -> None:
    """It is made so, whatever the process's mask is."""
    sockets.own_path()
    assert home.stat().st_mode & 0o777 == 0o700


def test_without_a_runtime_directory_it_is_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside of a login there is none."""
    monkeypatch.delenv(sockets.RUNTIME)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert sockets.directory() == tmp_path / "dbt-ctas-spark" / "warm"
