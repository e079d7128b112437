"""What became of a commit call: the rules."""

import pytest

from ctas_spark.errors import (
    ColumnsRefusedError,
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from ctas_spark.publish.version import Outcome, decide, is_by_rival

LOST = MetastoreError("connection lost")
REFUSED = EntryModifiedError("modified")


@pytest.mark.parametrize("failure", [None, LOST, REFUSED, RefusedError("no")])
@pytest.mark.parametrize("can_not_land", [False, True])
def test_our_commit_on_the_target_is_committed(
    failure: MetastoreError | None, *, can_not_land: bool
) -> None:
    """It is decided first, after a refusal too."""
    assert decide(failure, shows_ours=True, can_not_land=can_not_land) is Outcome.COMMITTED


@pytest.mark.parametrize("failure", [REFUSED, RefusedError("no"), EntryExistsError("exists")])
def test_a_refusal_by_name_is_not_committed(failure: MetastoreError) -> None:
    """The server says that the call had no effect, and the target shows none."""
    assert decide(failure, shows_ours=False, can_not_land=False) is Outcome.NOT_COMMITTED


@pytest.mark.parametrize("failure", [None, LOST])
def test_a_target_that_left_our_base_takes_no_request_of_ours_any_more(
    failure: MetastoreError | None,
) -> None:
    """Whatever is still under way is refused there."""
    assert decide(failure, shows_ours=False, can_not_land=True) is Outcome.NOT_COMMITTED


@pytest.mark.parametrize("failure", [None, LOST])
def test_everything_else_is_unknown(failure: MetastoreError | None) -> None:
    """The old marker after a lost answer proves nothing."""
    assert decide(failure, shows_ours=False, can_not_land=False) is Outcome.UNKNOWN


def test_only_what_a_rival_did_is_tried_again() -> None:
    """A refusal of the entry itself would come again."""
    rivals = (REFUSED, EntryExistsError("exists"), EntryMissingError("missing"), LOST, None)
    assert all(map(is_by_rival, rivals))
    assert not is_by_rival(RefusedError("no such serde"))
    assert not is_by_rival(ColumnsRefusedError("types"))
