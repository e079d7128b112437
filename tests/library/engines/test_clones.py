"""A node's own session, as far as it needs no JVM."""

import os
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession

from ctas_spark.engines import clones, jvm
from ctas_spark.engines.connect import FOR_A_SERVER


class Session:
    """One with three catalogs, of which two can be loaded."""

    def __init__(self) -> None:
        self.loaded: list[str] = []

    def catalog(self, name: str) -> None:
        if name == "broken":
            raise IllegalArgumentException("Cannot initialize Catalog implementation")
        self.loaded.append(name)


def test_a_catalog_that_can_not_be_loaded_fails_only_those_who_use_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not each node that gets a session of its own."""
    session: Any = Session()
    names = [f"{clones.SETTING}{name}" for name in ("a", "a.type", "broken", "c")]
    nothing = SimpleNamespace(conf=lambda: SimpleNamespace(getAll=dict))
    monkeypatch.setattr(jvm, "session", lambda _: nothing)
    monkeypatch.setattr(jvm, "as_json", lambda *_: dict.fromkeys(names, "x"))
    monkeypatch.setattr(clones, "_catalogs", lambda one: one)
    clones._load_catalogs(session)  # noqa: SLF001 (the rest needs a JVM)
    assert session.loaded == ["a", "c"]


def test_a_session_on_a_server_is_the_active_one_of_its_thread() -> None:
    """Only for the block, and for no other thread: PySpark makes frames for the active session.

    Its functions make columns for a server meanwhile.
    """

    class OnServer:
        _active_session = threading.local()
        Builder = SparkSession.Builder

    def active() -> object:
        return getattr(OnServer._active_session, "session", None)  # noqa: SLF001 (PySpark's name)

    own, seen = OnServer(), list[object]()
    with clones.bound(own, None):
        other = threading.Thread(target=lambda: seen.append(active()))
        other.start()
        other.join()
        assert active() is own
        assert FOR_A_SERVER in os.environ
    assert active() is None
    assert FOR_A_SERVER not in os.environ
    assert seen == [None]
