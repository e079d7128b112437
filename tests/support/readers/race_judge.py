"""Judges rounds in which rivals published over one table from one base."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

WHEN = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One rival's publication; ``base`` is the version that it began from, None where none was.

    ``refusal`` is the error's name, None for a commit. Times are seconds of CLOCK_MONOTONIC.
    """

    number: int
    version: str
    base: str | None
    started: float
    ended: float
    refusal: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Round:
    """All attempts on one base, and the number that the table showed after them."""

    attempts: Sequence[Attempt]
    seen: int

    @property
    def winners(self) -> list[Attempt]:
        """The writers that committed."""
        return [attempt for attempt in self.attempts if attempt.refusal is None]

    @property
    def losers(self) -> list[Attempt]:
        """The writers that were refused."""
        return [attempt for attempt in self.attempts if attempt.refusal is not None]

    @property
    def overwritten(self) -> int:
        """How many committed versions another commit over the same base replaced unseen."""
        return max(0, len(self.winners) - 1)

    @property
    def shown(self) -> str | None:
        """The version that the next round begins from; None if nothing was committed."""
        versions = {won.number: won.version for won in self.winners}
        return versions.get(self.seen, next(iter(versions.values()), None))

    @property
    def overlapping(self) -> int:
        """How many losers' commits were under way at a moment of a winner's."""
        return sum(
            any(loser.started < won.ended and won.started < loser.ended for won in self.winners)
            for loser in self.losers
        )


def judge_race(rounds: Sequence[Round], base: str | None = None) -> list[str]:
    """Return a sentence for each violation.

    Of each base there is one commit, the table then shows it, the next round begins from it, and
    every loser's error says which version won, and when it was committed.

    Args:
        base: the version that the first round begins from; None if it creates the table.
    """
    violations: list[str] = []
    for number, one in enumerate(rounds, start=1):
        violations += [f"Round {number}: {fault}" for fault in _faults(one, base)]
        base = one.shown or base
    return violations


def _faults(one: Round, base: str | None) -> Iterator[str]:
    for attempt in one.attempts:
        if attempt.base != base:
            yield f"version {attempt.version} began from {attempt.base}, not from {base}."
    if len(one.winners) != 1:
        yield f"{len(one.winners)} versions were committed over {base}."
        return
    (winner,) = one.winners
    if one.seen != winner.number:
        yield f"the table shows number {one.seen}, not the winner's {winner.number}."
    for loser in one.losers:
        if not _names(loser, winner):
            yield f"{loser.refusal} does not name {winner.version}: {loser.message}"


def _names(loser: Attempt, winner: Attempt) -> bool:
    named = f"version {re.escape(winner.version)} was committed at {WHEN}"
    return loser.refusal == "ConcurrentWriteError" and bool(re.search(named, loser.message))
