"""The versions in a table's history."""

from dbt.adapters.ctas_spark.staging.delta.facts import CommitFacts
from dbt.adapters.ctas_spark.staging.delta.history import events, last_states, publications
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from fakes.delta_logs import ours, theirs


def test_what_users_wrote_into_a_version_belongs_to_it() -> None:
    """Up to the commit before its successor; a fence does not count as one."""
    commits = [
        theirs(6),
        ours(5, "v2"),
        ours(4, "v1", Kind.FENCE),
        theirs(3),
        ours(2, "v1"),
        theirs(1),
    ]
    found = publications(commits, 6)
    assert [(one.marker.version, one.number, one.last) for one in found] == [
        ("v2", 5, 6),
        ("v1", 2, 4),
    ]


def test_anothers_replace_ends_a_version() -> None:
    """What it left is not the version's last state."""
    commits = [theirs(4), CommitFacts(3, "CREATE OR REPLACE TABLE AS SELECT", 0, None), ours(2)]
    (found,) = publications(commits, 4)
    assert found.last == 2


def test_each_version_has_its_last_state_newest_first() -> None:
    """One that was published twice counts by the last time; the creation is known by its entry."""
    rollback = ours(4, "v1", Kind.ROLLBACK)
    commits = (rollback, ours(3, "v2"), theirs(2), ours(1, "v1"), theirs(0))
    assert last_states(commits, 4, "v0") == {"v1": 4, "v2": 3, "v0": 0}
    assert last_states(commits[:-1], 4, "v0") == {"v1": 4, "v2": 3}


def test_only_the_newest_version_is_live_and_only_if_the_table_shows_it() -> None:
    """After another's replace all of them are kept by the history."""
    found = publications((ours(2, "v2"), ours(1, "v1")), 2)
    assert [event.state for event in events(found, "v2")] == ["live", "kept"]
    assert [event.state for event in events(found, None)] == ["kept", "kept"]
