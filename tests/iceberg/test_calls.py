"""What a rebuild of an Iceberg table costs besides its CTAS, and what it adds to the table."""

import pytest

from iceberg.place import Place
from round_trips import Counter

MOST_ROUND_TRIPS = 250
MOST_LOADS = 4
SNAPSHOTS_ADDED = 2


def test_a_rebuild_takes_few_loads_and_round_trips(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The target is loaded at begin, before the call and after it; the fork, after its job."""
    sent = Counter(monkeypatch).of_the_last_rebuild(place.opened, place.context())
    assert len(sent) <= MOST_ROUND_TRIPS
    assert sum("\nloadTable\n" in command for command in sent) <= MOST_LOADS


def test_a_rebuild_adds_two_snapshots_and_no_schema(place: Place) -> None:
    """The job's, and the one that carries the marker; the same columns are the same schema."""
    query = "SELECT id FROM range(3)"
    place.publish(query)
    before = place.facts().document
    place.publish(query)
    after = place.facts().document
    assert len(after["snapshots"]) - len(before["snapshots"]) <= SNAPSHOTS_ADDED
    assert len(after["schemas"]) == len(before["schemas"])
