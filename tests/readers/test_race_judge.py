"""The judgement of races; no JVM."""

from dataclasses import replace

from readers.race_judge import Attempt, Round, judge_race

WON = Attempt(1, "a", None, 1.0, 2.0, None, "")
LOST = Attempt(
    2, "b", None, 1.5, 2.5, "ConcurrentWriteError",
    "another writer: version a was committed at 2026-11-21 10:00:00 UTC",
)  # fmt: skip
NEXT = Attempt(3, "c", "a", 3.0, 4.0, None, "")


def test_one_commit_for_each_base_is_right() -> None:
    """Rounds of one winner each, which the losers name and the table shows, are right."""
    assert judge_race([Round((WON, LOST), 1), Round((NEXT,), 3)]) == []


def test_two_commits_over_one_base_are_a_violation() -> None:
    """A lost update is said, even if the table shows one of the two."""
    (violation,) = judge_race([Round((WON, replace(LOST, refusal=None)), 2)])
    assert "2 versions were committed over None" in violation


def test_a_round_without_a_commit_is_a_violation() -> None:
    """Rivals that all give way to each other publish nothing, which is wrong."""
    (violation,) = judge_race([Round((LOST,), 1)])
    assert "0 versions" in violation


def test_rows_of_a_loser_are_a_violation() -> None:
    """The table has to show the winner's rows."""
    (violation,) = judge_race([Round((WON, LOST), 2)])
    assert "the table shows number 2" in violation


def test_an_error_without_the_winner_is_a_violation() -> None:
    """A loser is told which version won and when; nothing else will do."""
    for told in (
        replace(LOST, message="another writer changed the table"),
        replace(LOST, message=LOST.message.replace("version a", "version z")),
        replace(LOST, refusal="StagingError"),
    ):
        (violation,) = judge_race([Round((WON, told), 1)])
        assert "does not name a" in violation


def test_a_stale_base_is_a_violation() -> None:
    """A writer with another base than the last winner's took no part in the race."""
    (violation,) = judge_race([Round((WON, LOST), 1), Round((replace(NEXT, base="z"),), 3)])
    assert "began from z, not from a" in violation


def test_commits_at_one_time_are_counted() -> None:
    """A loser counts as overlapping if its commit and the winner's shared a moment."""
    late = replace(LOST, started=2.1)
    assert Round((WON, LOST, late), 1).overlapping == 1


def test_a_version_that_a_second_winner_replaced_is_counted() -> None:
    """The next round begins from the one of the two that the table shows."""
    both = Round((WON, replace(LOST, refusal=None)), 2)
    assert both.overwritten == 1
    assert Round((WON, LOST), 1).overwritten == 0
    (violation,) = judge_race([both, Round((replace(NEXT, base="b"),), 3)])
    assert "2 versions were committed over None" in violation
