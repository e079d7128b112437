"""Names that no listing shows, found by which patterns match."""

import re
from collections.abc import Callable, Collection

import pytest

from ctas_spark.storage.unlisted import unlisted

OLD = "20260101t000000x00000000"
NEW = "20260101t000001x0000ffff"
EMPTY = "20260101t000000x00000001"
LATER = "20261231t235959xfedcba98"


def fits(names: Collection[str], asked: list[str] | None = None) -> Callable[[str], bool]:
    """What a directory with these names answers, as Hadoop reads patterns."""

    def ask(pattern: str) -> bool:
        if asked is not None:
            asked.append(pattern)
        as_regex = pattern.replace("{", "(?:").replace("}", ")").replace(",", "|")
        return any(re.fullmatch(as_regex.replace("*", ".*"), name) for name in names)

    return ask


@pytest.mark.parametrize("known", [[], [OLD], [OLD, NEW]], ids=len)
@pytest.mark.parametrize("others", [[], [EMPTY], [EMPTY, LATER]], ids=len)
def test_what_is_not_known_is_found(known: list[str], others: list[str]) -> None:
    """However much of its name it shares with what is known."""
    assert sorted(unlisted(fits([*known, *others]), known)) == others


def test_one_question_says_that_there_is_nothing_else() -> None:
    """However many are known, up to some dozens; a name of other letters is not looked for."""
    asked: list[str] = []
    known = [f"20260101t0000{second:02}x{second:08x}" for second in range(30)]
    assert list(unlisted(fits([*known, ".clock-1", "README"], asked), known)) == []
    assert len(asked) == 1


def test_many_known_names_are_asked_of_in_parts() -> None:
    """So that no statement gets too long."""
    asked: list[str] = []
    known = [
        f"20260101t{hour:02}0000x{hour * minute:08x}" for hour in range(24) for minute in range(9)
    ]
    assert list(unlisted(fits([*known, LATER], asked), known)) == [LATER]
    assert max(map(len, asked)) < 30_000
