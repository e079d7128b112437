"""Names in a directory that no listing of files shows, found by asking which patterns match.

SQL tells whether anything is at a path that fits one of Hadoop's patterns, also if that is a
directory without a file. So a name is found letter by letter, by halving those that may come next.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

LETTERS = "0123456789abcdeftx"
"""All that the ids of versions are made of."""
AT_ONCE = 500
"""Patterns in one question."""


@dataclass(frozen=True, slots=True)
class Names:
    """All that begin with ``prefix``, and have one of ``letters`` next."""

    prefix: str
    letters: str

    @property
    def pattern(self) -> str:
        return f"{self.prefix}[{self.letters}]*"


def are_unlisted(fits: Callable[[str], bool], known: Collection[str]) -> bool:
    """Whether there are any, for the arguments of ``unlisted``."""
    return any(fits(_any_of(among)) for among in _in_parts(known))


def unlisted(fits: Callable[[str], bool], known: Collection[str]) -> Iterator[str]:
    """The names that are made of these letters, without the known ones.

    Args:
        fits: whether anything in the directory has a name that fits a pattern.
    """
    for among in _in_parts(known):
        yield from _found(fits, among)


def _in_parts(known: Collection[str]) -> Iterator[Sequence[Names]]:
    others = list(_others(known))
    for start in range(0, len(others), AT_ONCE):
        yield others[start : start + AT_ONCE]


def _others(known: Collection[str]) -> Iterator[Names]:
    """All but the known ones: each of them leaves these at one letter."""
    following: dict[str, set[str]] = defaultdict(set, {"": set()})
    for name in known:
        of_letters = "".join(takewhile(LETTERS.__contains__, name))
        for at, letter in enumerate(of_letters):
            following[of_letters[:at]].add(letter)
    for prefix, taken in sorted(following.items()):
        if letters := "".join(one for one in LETTERS if one not in taken):
            yield Names(prefix, letters)


def _found(fits: Callable[[str], bool], among: Sequence[Names]) -> Iterator[str]:
    if not fits(_any_of(among)):
        return
    for half in _halves(among):
        yield from _found(fits, half)
    if len(among) == len(among[0].letters) == 1:
        name = among[0].prefix + among[0].letters
        longer = list(_found(fits, [Names(name, LETTERS)]))
        yield from longer or ([name] if fits(name) else [])


def _any_of(among: Sequence[Names]) -> str:
    return f"{{{','.join(one.pattern for one in among)}}}"


def _halves(among: Sequence[Names]) -> Iterator[Sequence[Names]]:
    """Of several patterns, or of the letters of one; none of a single letter."""
    if len(among) > 1:
        middle = len(among) // 2
        yield from (among[:middle], among[middle:])
    elif len(among[0].letters) > 1:
        prefix, letters = among[0].prefix, among[0].letters
        middle = len(letters) // 2
        yield from ([Names(prefix, letters[:middle])], [Names(prefix, letters[middle:])])
