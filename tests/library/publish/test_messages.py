"""What a publication says when it can't go on."""

import pytest

from ctas_spark.context import StagingContext, StagingPurpose
from ctas_spark.errors import (
    CommitStateUnknownError,
    ConcurrentWriteError,
    MetastoreError,
    StagingError,
    StorageError,
)
from ctas_spark.publish import messages
from fakes.version import ABSENT, PLAIN, RECORD, TARGET, THERE

ANY = MetastoreError("the server said no")
CREATE = StagingContext(TARGET, "staging", purpose=StagingPurpose.CREATE)
REPLACE = StagingContext(TARGET, "staging")
EVERY = (
    messages.in_the_way(CREATE, "a view", "nothing"),
    messages.in_the_way(REPLACE, "an Iceberg table", "nothing"),
    messages.no_such_schema(TARGET),
    messages.no_such_table(TARGET, "nothing"),
    messages.newer_marker(TARGET, 2, 1),
    messages.already_exists(TARGET, "nothing"),
    messages.concurrent_write(TARGET, "somebody"),
    messages.swept(TARGET, "nothing"),
    messages.too_old(TARGET, "nothing"),
    messages.record_gone(TARGET, RECORD, "nothing"),
    messages.files_gone(TARGET, "1 of 2 files", "nothing"),
    messages.refused(TARGET, "nothing", ANY),
    messages.unknown(TARGET, "v1", ANY),
    messages.unknown(TARGET, "v1", None),
)


@pytest.mark.parametrize("error", EVERY, ids=lambda error: error.what[:30])
def test_every_error_says_table_state_and_remedy(error: StagingError) -> None:
    """What happened, to which table, what was left, and what the user can do."""
    assert error.table == TARGET
    assert error.what
    assert error.left
    assert error.remedy


def test_the_state_of_an_unpublished_target_is_named() -> None:
    """As the end of a sentence."""
    assert [messages.unchanged(one) for one in (ABSENT, THERE, PLAIN)] == [
        "it still does not exist",
        "it still holds version v0",
        "it is unchanged",
    ]


def test_a_time_is_named_in_utc() -> None:
    """To the second."""
    assert messages.moment(1_700_000_000_999) == "2023-11-14 22:13:20 UTC"


def test_an_obstacle_is_answered_by_the_purpose() -> None:
    """A creation may become a replacement; what no call replaces has to go first."""
    assert "create_or_replace" in messages.in_the_way(CREATE, "a view", "nothing").remedy
    cannot = messages.in_the_way(REPLACE, "an Iceberg table", "nothing")
    assert "no single commit can replace it" in cannot.what
    assert cannot.remedy.startswith("drop it")


def test_an_unknown_fate_is_told_from_a_revert() -> None:
    """A call that raised may land yet; one that succeeded and does not show was reverted."""
    assert isinstance(messages.unknown(TARGET, "v1", ANY), CommitStateUnknownError)
    assert isinstance(messages.unknown(TARGET, "v1", None), ConcurrentWriteError)


def test_the_words_of_the_metastore_are_passed_on() -> None:
    """A refusal says what the catalog said."""
    assert "the server said no" in messages.refused(TARGET, "nothing", ANY).what


def test_a_failure_before_the_job_has_the_table_and_its_state() -> None:
    """Who makes a call knows neither; what the error says by itself stays."""
    with pytest.raises(MetastoreError) as told, messages.before_any_job(TARGET):
        raise MetastoreError("no server answers")
    assert (told.value.table, told.value.left) == (TARGET, messages.NO_JOB)
    assert "run the model again" in told.value.remedy
    own = StorageError("no", table="another", left="it is gone", remedy="look for it")
    with pytest.raises(StorageError) as told_by_itself, messages.before_any_job(TARGET):
        raise own
    assert str(told_by_itself.value) == (
        "[STORAGE_FAILED] no\n  table: another\n  left: it is gone\n  to do: look for it"
    )
