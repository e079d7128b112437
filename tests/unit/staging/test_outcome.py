"""What became of a commit call."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, MetastoreError
from dbt.adapters.ctas_spark.staging.files import publication
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.publication import Publication
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome, decide
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME

LOST = MetastoreError("connection lost")
REFUSED = EntryModifiedError("modified")


def publish(base: TableEntry | None, version: str) -> tuple[Publication, TableEntry]:
    """Publish ``version`` over ``base``; return the publication and the entry after it."""
    record = entry(
        replace(TARGET_NAME, database=STAGING_SCHEMA), location=f"file:/w/{version}", parameters={}
    )
    ours = publication.build(
        target=TARGET_NAME,
        staged=record,
        base=Base(base),
        version=version,
        level=Atomicity.ISOLATED,
        now=1_700_000_000_000,
    )
    return ours, replace(record, name=TARGET_NAME, parameters=ours.change.parameters)


FIRST = publish(None, "v1")[1]
OURS, AFTER_OURS = publish(FIRST, "v2")
AFTER_RIVAL = publish(FIRST, "v3")[1]
AFTER_OURS_AND_RIVAL = publish(AFTER_OURS, "v4")[1]


@pytest.mark.parametrize("failure", [None, LOST, REFUSED])
@pytest.mark.parametrize("after", [AFTER_OURS, AFTER_OURS_AND_RIVAL])
def test_our_id_in_marker_or_lineage_is_committed(
    after: TableEntry, failure: MetastoreError | None
) -> None:
    """COMMITTED is decided first, after a refusal and after being superseded too."""
    assert decide(after, OURS, failure) is Outcome.COMMITTED


def test_a_refusal_by_name_is_not_committed() -> None:
    """The metastore said no, and nothing of ours shows."""
    assert decide(FIRST, OURS, REFUSED) is Outcome.NOT_COMMITTED


def test_a_marker_that_left_our_base_is_not_committed() -> None:
    """A rival's commit on our base uses up the value that our call expects."""
    assert decide(AFTER_RIVAL, OURS, LOST) is Outcome.NOT_COMMITTED


def test_the_old_marker_proves_nothing() -> None:
    """The lost call may still be running on the server."""
    assert decide(FIRST, OURS, LOST) is Outcome.UNKNOWN


def test_a_missing_target_proves_nothing() -> None:
    """A creation whose answer was lost may still land."""
    assert decide(None, publish(None, "v1")[0], LOST) is Outcome.UNKNOWN


def test_our_version_without_our_id_is_unknown() -> None:
    """A target that holds our version under another marker is not ours to delete."""
    theirs = replace(FIRST, location=AFTER_OURS.location)
    assert decide(theirs, OURS, REFUSED) is Outcome.UNKNOWN


def test_a_lineage_cut_before_our_base_proves_nothing() -> None:
    """When our base is no longer in the lineage, our own commit may be among what was cut."""
    _, rival = publish(None, "v9")
    assert decide(rival, OURS, LOST) is Outcome.UNKNOWN
