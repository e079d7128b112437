"""What a rebuild of a Delta table costs besides its CTAS, and what it adds to the table."""

import pytest

from ctas_spark.engines import jvm
from delta.place import Place
from round_trips import Counter

MOST_ROUND_TRIPS = 490
ONE_FILE = "INSERT INTO {t} SELECT 1"
MANY_FILES = "INSERT INTO {t} SELECT /*+ REPARTITION(33) */ id FROM range(33)"


def test_a_rebuild_takes_few_round_trips_however_many_files_it_replaces(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files that go are one list, which is made in the JVM."""
    counter = Counter(monkeypatch)
    assert len(counter.of_the_last_rebuild(place.opened, place.context())) <= MOST_ROUND_TRIPS
    found = {}
    for statement in (ONE_FILE, MANY_FILES):
        place.sql(statement)
        files = len(place.spark.table(place.table).inputFiles())
        found[files] = len(counter.of_a_rebuild(place.opened, place.context()))
    few, many = sorted(found)
    assert many > few + 30
    assert found[many] == found[few]


def test_a_rebuild_is_one_version_of_the_table(place: Place) -> None:
    """Neither the staged rows nor the marker take a commit of their own."""
    query = "SELECT id FROM range(3)"
    place.publish(query)
    before = place.sql("DESCRIBE HISTORY {t}")
    place.publish(query)
    assert len(place.sql("DESCRIBE HISTORY {t}")) == len(before) + 1


def test_a_commit_over_a_version_of_ours_starts_no_job(place: Place) -> None:
    """Also where another has written since: the last commits say which files the table has."""
    place.publish("SELECT 0L AS id")
    place.sql("INSERT INTO {t} VALUES (1)")
    place.sql("DELETE FROM {t} WHERE id = 0")
    staged = place.stage("SELECT id FROM range(3)")
    staged.verify()
    before = _jobs(place)
    staged.commit()
    staged.settle()
    assert _jobs(place) == before
    assert place.rows() == [(0,), (1,), (2,)]
    assert _jobs(place) > before


def _jobs(place: Place) -> int:
    return int(jvm.context(place.spark).statusStore().jobsList(None).size())
