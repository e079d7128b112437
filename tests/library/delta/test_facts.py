"""The marker in a commit's user metadata."""

import json

import pytest

from ctas_spark.delta.facts import CommitMarker
from ctas_spark.publish.marker import PublicationKind

MARKER = CommitMarker("c1", "v1", "", "db.t", "isolated", PublicationKind.BUILD, 5, 3, None)


def test_a_marker_is_read_back_as_it_was_written() -> None:
    """All of it, what is not known too."""
    assert CommitMarker.parse(MARKER.to_text()) == MARKER


@pytest.mark.parametrize(
    "text",
    [None, "", "loaded by hand", "[1]", "7", '{"team": "a"}', '{"ctas_spark_commit": "c1"}'],
)
def test_a_users_own_metadata_is_no_marker(text: str | None) -> None:
    """Whatever a user writes there, even JSON."""
    assert CommitMarker.parse(text) is None


def test_a_kind_that_is_not_known_is_no_marker() -> None:
    """A later release may have others."""
    text = json.dumps({**json.loads(MARKER.to_text()), "ctas_spark_kind": "other"})
    assert CommitMarker.parse(text) is None
