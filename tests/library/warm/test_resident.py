"""Whom a warm Spark lets in, and when it ends; Spark itself is a fake."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ctas_spark.warm import sockets
from ctas_spark.warm.client_runs import ClientRuns
from ctas_spark.warm.resident import Order, Resident, Server

MODIFIABLE, STATIC = "spark.sql.shuffle.partitions", "spark.driver.memory"
SETTINGS = {MODIFIABLE: "1", STATIC: "640m"}
SURROUNDINGS = {"the working directory": "here"}


class FakeClientRuns(ClientRuns):
    """Runs of a Spark that nobody has started."""

    def __init__(self) -> None:
        self.ended = False
        self.present: list[int] = []

    @property
    def processes(self) -> list[int]:
        return self.present

    @contextmanager
    def admitted(self, message: sockets.Message) -> Iterator[sockets.Message]:
        self.present.append(message["pid"])
        yield {"port": 1, "secret": "s", "slot": 0, "tag": "t"}
        self.present.remove(message["pid"])

    def may_set(self, name: str) -> bool:
        return name == MODIFIABLE

    def spark_has_ended(self) -> bool:
        return self.ended


class Served:
    """A resident that listens, and the thread that waits for its end."""

    def __init__(self, database: Path) -> None:
        digests = {"settings": SETTINGS, "surroundings": SURROUNDINGS}
        order = Order({}, digests, "/logs", "/project", str(database), 3600.0, uses_metastore=True)
        self.runs, path = FakeClientRuns(), sockets.own_path()
        server = Server(path)
        server.resident = self.resident = Resident(order, self.runs, path)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.life = threading.Thread(target=self.resident.wait, daemon=True)
        self.life.start()

    def attach(self, **settings: str) -> tuple[sockets.Visit, sockets.Message]:
        """A visit, and what was answered to a run with these settings."""
        (visit,) = sockets.visits()
        return visit, visit.ask({**REQUEST, "settings": {**SETTINGS, **settings}})

    def ends(self) -> bool:
        """Wait for its end."""
        self.life.join(60.0)
        return not self.life.is_alive()


REQUEST: dict[str, Any] = {"do": "attach", "pid": 7, "surroundings": SURROUNDINGS}


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """One that was just started."""
    monkeypatch.setenv(sockets.RUNTIME, str(tmp_path))
    (tmp_path / "metastore_db").mkdir()
    served = Served(tmp_path / "metastore_db")
    yield served
    served.resident.terminate()
    assert served.ends()


def test_a_run_with_the_same_settings_is_let_in(served: Served) -> None:
    """It is there until it closes its connection."""
    visit, answer = served.attach()
    expected = {"differs": [], "set": [], "port": 1, "secret": "s", "slot": 0, "tag": "t"}
    assert answer == expected
    assert served.runs.processes == [7]
    visit.close()
    while served.runs.processes:
        os.sched_yield()


def test_what_a_session_may_change_is_no_hindrance(served: Served) -> None:
    """The run sets it in its own."""
    _, answer = served.attach(**{MODIFIABLE: "5"})
    assert (answer["differs"], answer["set"]) == ([], [MODIFIABLE])


def test_a_static_setting_that_differs_is_named(served: Served) -> None:
    """The run is not let in, and learns no secret."""
    _, answer = served.attach(**{STATIC: "641m", MODIFIABLE: "5"})
    assert answer == {"differs": [STATIC]}
    assert served.runs.processes == []


def test_a_stop_waits_for_the_runs(served: Served) -> None:
    """No other is let in meanwhile."""
    run, _ = served.attach()
    (visit,) = sockets.visits()
    assert visit.ask({"do": "stop"}) == {"runs": [7]}
    assert list(sockets.visits()) == []
    assert served.life.is_alive()
    run.close()
    assert served.ends()


def test_it_ends_with_its_spark(served: Served) -> None:
    """Also if a model of Python's has stopped it."""
    served.runs.ended = True
    assert served.ends()


def test_it_ends_when_its_metastore_is_deleted(served: Served) -> None:
    """A Spark that has the deleted files open would serve nobody."""
    Path(served.resident.order.database).rmdir()
    assert served.ends()


def test_it_ends_when_nobody_can_find_it(served: Served) -> None:
    """As after a logout that empties the runtime directory."""
    served.resident.path.unlink()
    assert served.ends()
