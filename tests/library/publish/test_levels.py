"""Which level is kept: the catalog's, the model's and the one that a publication reaches."""

import pytest

from ctas_spark.context import Atomicity, StagingContext
from ctas_spark.errors import AtomicityNotSupportedError
from ctas_spark.publish import purposes as levels
from ctas_spark.publish.catalog import Capabilities, ConflictCheck
from ctas_spark.publish.version import Reach
from fakes.version import TARGET, FakeBase

NONE, ATOMIC, ISOLATED, AUTO = (
    Atomicity.NONE,
    Atomicity.ATOMIC,
    Atomicity.ISOLATED,
    Atomicity.AUTO,
)


def asks(atomicity: Atomicity) -> StagingContext:
    """A model that names a level."""
    return StagingContext(TARGET, "staging", atomicity=atomicity)


@pytest.mark.parametrize(
    ("named", "asked", "reached", "kept"),
    [
        (AUTO, ISOLATED, ISOLATED, ISOLATED),
        (AUTO, ISOLATED, ATOMIC, ATOMIC),
        (AUTO, ATOMIC, ISOLATED, ATOMIC),
        (ISOLATED, ISOLATED, ISOLATED, ISOLATED),
        (ATOMIC, ATOMIC, ISOLATED, ATOMIC),
        (NONE, NONE, ISOLATED, NONE),
    ],
)
def test_the_strongest_that_is_asked_for_and_reached_is_kept(
    named: Atomicity, asked: Atomicity, reached: Atomicity, kept: Atomicity
) -> None:
    """A level by name is kept as it is, even where more would be reached."""
    assert levels.kept(asks(named), asked, Reach(reached, "swap"), "left") is kept


@pytest.mark.parametrize(("named", "reached"), [(ISOLATED, ATOMIC), (ATOMIC, NONE)])
def test_a_level_by_name_never_weakens(named: Atomicity, reached: Atomicity) -> None:
    """The error says what is missing, what was left, and what would make it work."""
    reach = Reach(reached, "swap", missing="no lock tables", remedy="make them")
    with pytest.raises(AtomicityNotSupportedError, match="no lock tables") as refused:
        levels.kept(asks(named), named, reach, "it is unchanged")
    assert (refused.value.left, refused.value.remedy) == ("it is unchanged", "make them")
    assert refused.value.table == TARGET


@pytest.mark.parametrize(
    ("before", "now", "is_said"),
    [
        ("isolated", ATOMIC, True),
        ("atomic", NONE, True),
        ("atomic", ISOLATED, False),
        ("isolated", ISOLATED, False),
        (None, NONE, False),
    ],
)
def test_less_than_the_last_publication_is_said(
    before: str | None, now: Atomicity, *, is_said: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Readers relied on it until now."""
    levels.warn_of(asks(AUTO), FakeBase("v0", level=before), now, Reach(now, "swap"))
    warning = f"was last published at atomicity {before}, and is now at {now.value}"
    assert (warning in caplog.text) is is_said


def test_auto_is_what_the_catalog_reaches_at_most() -> None:
    """And a level that it does not reach is refused before anything is looked at."""
    lacks = Capabilities("hive", ConflictCheck.NONE, ATOMIC, "no compare-and-swap", "upgrade it")
    assert lacks.level_for(AUTO, TARGET) is ATOMIC
    assert lacks.level_for(NONE, TARGET) is NONE
    with pytest.raises(AtomicityNotSupportedError, match="on this hive catalog") as refused:
        lacks.level_for(ISOLATED, TARGET)
    assert refused.value.remedy == "upgrade it"


def test_auto_is_the_weakest_only_until_it_is_decided() -> None:
    """The levels are ordered as in FLIP-218."""
    assert [one.strength for one in (AUTO, NONE, ATOMIC, ISOLATED)] == [0, 1, 2, 3]
