"""What a purpose makes of a target: the whole table, on a kind that is scripted."""

from dataclasses import replace

import pytest

from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    NoSuchTableError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Change, Outcome
from fakes.version import (
    ABSENT,
    OTHER_FORMAT,
    PLAIN,
    THERE,
    VIEW,
    FakeBase,
    FakeVersion,
    begun,
    moved,
    plan,
)

PURPOSES = ("create", "create_if_not_exists", "replace", "create_or_replace")
Refused = type[StagingError]
Cell = tuple[str, FakeBase, Refused | Outcome | None]

AT_BEGIN: list[Cell] = [
    ("create", THERE, TableAlreadyExistsError),
    ("create", PLAIN, TableAlreadyExistsError),
    ("create", ABSENT, None),
    ("create", VIEW, TableAlreadyExistsError),
    ("create", OTHER_FORMAT, TableAlreadyExistsError),
    ("create_if_not_exists", THERE, Outcome.KEPT),
    ("create_if_not_exists", PLAIN, Outcome.KEPT),
    ("create_if_not_exists", ABSENT, None),
    ("create_if_not_exists", VIEW, TableAlreadyExistsError),
    ("create_if_not_exists", OTHER_FORMAT, TableAlreadyExistsError),
    ("replace", THERE, None),
    ("replace", PLAIN, None),
    ("replace", ABSENT, NoSuchTableError),
    ("replace", VIEW, None),
    ("replace", OTHER_FORMAT, AtomicityNotSupportedError),
    ("create_or_replace", THERE, None),
    ("create_or_replace", PLAIN, None),
    ("create_or_replace", ABSENT, None),
    ("create_or_replace", VIEW, None),
    ("create_or_replace", OTHER_FORMAT, AtomicityNotSupportedError),
]
CREATED, DROPPED = moved(Change.CREATED), moved(Change.DROPPED, None)
CREATED_VIEW = replace(VIEW, change=Change.CREATED)
MEANWHILE: list[Cell] = [
    ("create", CREATED, TableAlreadyExistsError),
    ("create", CREATED_VIEW, TableAlreadyExistsError),
    ("create_if_not_exists", CREATED, Outcome.KEPT),
    ("create_if_not_exists", CREATED_VIEW, TableAlreadyExistsError),
    ("create_or_replace", CREATED, ConcurrentWriteError),
    ("create_or_replace", CREATED_VIEW, ConcurrentWriteError),
    ("replace", DROPPED, NoSuchTableError),
    ("create_or_replace", DROPPED, Outcome.COMMITTED),
    ("replace", moved(Change.WRITTEN), ConcurrentWriteError),
    ("create_or_replace", moved(Change.WRITTEN), ConcurrentWriteError),
    ("create_or_replace", replace(VIEW, change=Change.WRITTEN), ConcurrentWriteError),
    ("create_or_replace", replace(OTHER_FORMAT, change=Change.WRITTEN), AtomicityNotSupportedError),
]
OVERWRITING: list[Cell] = [
    ("create", CREATED, TableAlreadyExistsError),
    ("create_if_not_exists", CREATED, Outcome.KEPT),
    ("create_or_replace", CREATED, Outcome.COMMITTED),
    ("create_or_replace", CREATED_VIEW, Outcome.COMMITTED),
    ("replace", moved(Change.WRITTEN), Outcome.COMMITTED),
    ("create_or_replace", moved(Change.WRITTEN), Outcome.COMMITTED),
    ("replace", DROPPED, NoSuchTableError),
    ("create_or_replace", DROPPED, Outcome.COMMITTED),
]


@pytest.mark.parametrize(("purpose", "base", "becomes"), AT_BEGIN)
def test_a_begin_follows_its_purpose(
    purpose: str, base: FakeBase, becomes: Refused | Outcome | None
) -> None:
    """It goes on, keeps what exists, or fails before any job."""
    version = FakeVersion([base])
    if isinstance(becomes, type):
        with pytest.raises(becomes) as refused:
            plan(version, purpose).begin()
        assert "no job was started" in refused.value.left
    else:
        assert plan(version, purpose).begin().outcome is becomes
    is_prepared = any(one.startswith("stage on") for one in version.did)
    assert is_prepared is (becomes is None)


def committed(version: FakeVersion, becomes: Refused | Outcome | None, *asked: str) -> None:
    """Commit, and compare what becomes of it; what was staged goes unless it is published."""
    table = begun(version, *asked)
    if isinstance(becomes, type):
        with pytest.raises(becomes):
            table.commit()
        table.abort("failed")
        assert table.outcome is Outcome.NOT_COMMITTED
    else:
        table.commit()
        assert table.outcome is becomes
    is_published = becomes is Outcome.COMMITTED
    assert bool(version.published_over()) is is_published
    assert ("discard" in version.did) is not is_published


@pytest.mark.parametrize(("purpose", "now", "becomes"), MEANWHILE)
def test_a_commit_follows_its_purpose(
    purpose: str, now: FakeBase, becomes: Refused | Outcome | None
) -> None:
    """What another did meanwhile stays, but for a drop, which create_or_replace makes good."""
    before = ABSENT if now.change is Change.CREATED else THERE
    committed(FakeVersion([before, now]), becomes, purpose)


@pytest.mark.parametrize(("purpose", "now", "becomes"), OVERWRITING)
def test_overwrite_replaces_only_where_the_purpose_may(
    purpose: str, now: FakeBase, becomes: Refused | Outcome | None
) -> None:
    """on_conflict decides between writers, and never makes a create a replace."""
    before = ABSENT if now.change is Change.CREATED else THERE
    committed(FakeVersion([before, now]), becomes, purpose, "overwrite")


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_target_that_stays_as_it_was_is_published(purpose: str) -> None:
    """Whatever the purpose, where it may begin."""
    base = ABSENT if purpose.startswith("create") and purpose != "create_or_replace" else THERE
    committed(FakeVersion([base]), Outcome.COMMITTED, purpose)


def test_a_purpose_that_can_not_be_met_names_another() -> None:
    """The remedy stands in the message."""
    for purpose, base in (("create", THERE), ("replace", ABSENT), ("create", VIEW)):
        with pytest.raises(StagingError) as refused:
            plan(FakeVersion([base]), purpose).begin()
        assert "staging_purpose: create_or_replace" in refused.value.remedy
