"""The versions in a table's history."""

from dbt.adapters.ctas_spark.staging.delta.facts import CommitFacts
from dbt.adapters.ctas_spark.staging.delta.publications import publications
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from unit.staging.delta.tables import ours, theirs


def test_what_users_wrote_into_a_version_belongs_to_it() -> None:
    """Up to the commit before its successor; a fence is no successor."""
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
