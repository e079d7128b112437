"""The judgement of what readers saw; no JVM."""

import math

from readers.journal import Commit, Read
from readers.judge import judge_fresh, judge_lagging, judge_stale

COMMITS = [Commit(1, 0.0, 1.0), Commit(2, 10.0, 11.0), Commit(3, 20.0, 21.0)]


def _read(started: float, version: int, reader: str = "fresh-1") -> Read:
    return Read(started, started + 0.5, version, None, reader)


def _fault(text: str) -> Read:
    return Read(5.0, 5.5, None, text, "fresh-1")


def test_reads_that_follow_the_commits_are_right() -> None:
    """Readers that see each version after its commit get a verdict without violations."""
    verdict = judge_fresh([_read(2, 1), _read(12, 2), _read(22, 3)], COMMITS)
    assert verdict.violations == ()
    assert (verdict.reads, verdict.versions) == (3, (1, 2, 3))


def test_a_read_during_a_commit_may_see_either_version() -> None:
    """While a commit runs, the old version is right and so is the new one."""
    assert not judge_fresh([_read(10.1, 1)], COMMITS).violations
    assert not judge_fresh([_read(10.1, 2)], COMMITS).violations


def test_every_kind_of_fault_is_counted_and_said() -> None:
    """Failed, mixed, empty and partial reads are counted apart, each with a sentence."""
    faults = ["failed: gone", "mixed: rows of 1 and 2", "empty", "partial: 3 of 1001"]
    for verdict in (
        judge_fresh([_fault(text) for text in faults], COMMITS),
        judge_stale([_fault(text) for text in faults], COMMITS),
    ):
        assert (verdict.failed, verdict.mixed, verdict.empty, verdict.partial) == (1, 1, 1, 1)
        assert len(verdict.violations) == len(faults)
        assert "failed: gone" in verdict.violations[0]


def test_an_outdated_version_is_a_violation() -> None:
    """A read that started after a commit's end must not see an older version."""
    (violation,) = judge_fresh([_read(12, 1)], COMMITS).violations
    assert "version 1 after the commit of 2" in violation


def test_a_version_from_the_future_is_a_violation() -> None:
    """A read that ended before a commit started must not see that commit's version."""
    (violation,) = judge_fresh([_read(5, 2)], COMMITS).violations
    assert "version 2 before its commit" in violation


def test_a_version_that_nobody_committed_is_a_violation() -> None:
    """The data of an attempt that was not committed must never be seen."""
    (violation,) = judge_fresh([_read(22, 9)], COMMITS).violations
    assert "version 9, which nobody committed" in violation


def test_going_back_is_a_violation() -> None:
    """One reader that sees the new version and then the old one is wrong mid-commit too."""
    (violation,) = judge_fresh([_read(10.1, 2), _read(10.7, 1)], COMMITS).violations
    assert "version 1 after 2 had been seen" in violation


def test_going_back_across_readers_is_a_violation() -> None:
    """What one reader has seen, every later read of another reader must see."""
    reads = [_read(10.1, 2, "fresh-1"), _read(10.7, 1, "fresh-2")]
    assert judge_fresh(reads, COMMITS).violations


def test_readers_at_the_same_moment_may_differ() -> None:
    """Of two overlapping reads during a commit, one may see the old version."""
    reads = [_read(10.1, 2, "fresh-1"), _read(10.3, 1, "fresh-2")]
    assert not judge_fresh(reads, COMMITS).violations


def test_an_unknown_outcome_may_be_seen_or_not() -> None:
    """The version of an attempt without a known end may be seen from its start on."""
    commits = [Commit(1, 0.0, 1.0), Commit(2, 10.0, math.inf)]
    assert not judge_fresh([_read(30, 1), _read(31, 2)], commits).violations
    assert judge_fresh([_read(5, 2)], commits).violations


def test_stale_readers_keep_the_version_they_resolved() -> None:
    """Two stale readers that started at different versions are both right."""
    reads = [_read(2, 1, "stale-1"), _read(30, 1, "stale-1"), _read(30, 3, "stale-2")]
    assert not judge_stale(reads, COMMITS).violations


def test_a_stale_reader_that_changes_is_a_violation() -> None:
    """A reader that never refreshes must not see a second version."""
    (violation,) = judge_stale(
        [_read(2, 1, "stale-1"), _read(30, 3, "stale-1")], COMMITS
    ).violations
    assert "stale-1 saw versions [1, 3]" in violation


def test_an_overtaken_read_is_a_violation_where_it_was_not_expected() -> None:
    """Only for a format that refuses such a query by name is it counted and no more."""
    reads = [_fault("overtaken: the columns changed")]
    assert judge_stale(reads, COMMITS).violations
    assert judge_fresh(reads, COMMITS).violations
    for verdict in (
        judge_fresh(reads, COMMITS, may_be_overtaken=True),
        judge_lagging(reads, COMMITS),
    ):
        assert (verdict.overtaken, verdict.failed, verdict.violations) == (1, 0, ())


def test_a_lagging_reader_may_see_an_old_version() -> None:
    """Of two readers one may be behind the other, and each may catch up."""
    reads = [_read(12, 1, "a"), _read(30, 3, "a"), _read(30, 2, "b"), _read(40, 2, "b")]
    assert not judge_lagging(reads, COMMITS).violations


def test_a_lagging_reader_that_goes_back_is_a_violation() -> None:
    """So is a version that was not committed yet, and any fault."""
    (backwards,) = judge_lagging([_read(30, 3, "a"), _read(40, 2, "a")], COMMITS).violations
    assert "version 2 after 3 had been seen" in backwards
    (early,) = judge_lagging([_read(5, 2)], COMMITS).violations
    assert "version 2 before its commit" in early
    assert judge_lagging([_fault("failed: gone")], COMMITS).violations


def test_a_mixed_read_is_excused_while_a_commit_says_that_it_may_be() -> None:
    """Not before it and not after it, not by a commit that says otherwise, and nothing else is."""
    mixing = [Commit(1, 0.0, 1.0), Commit(2, 5.2, 5.4, "atomic", "mixed")]
    mixed, failed = (
        _fault("mixed: rows of 1 with columns of 2"),
        _fault("failed: not ORC"),
    )
    for verdict in (judge_fresh([mixed, failed], mixing), judge_stale([mixed, failed], mixing)):
        assert (verdict.mixed, verdict.failed, verdict.excused) == (1, 1, 2)
        assert verdict.violations == ()
    for kept in ("partial: 3 of 1001", "empty", "failed: [TABLE_OR_VIEW_NOT_FOUND] gone"):
        assert judge_fresh([_fault(kept)], mixing).violations
    assert judge_fresh([mixed], COMMITS).violations
    assert judge_fresh([mixed], [Commit(1, 0.0, 1.0), Commit(2, 5.2, 5.4)]).violations
