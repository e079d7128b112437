"""Whether a column's values survive a change of its type.

Spark unites two types without asking: a bigint and a float become a float, and fields of structs
are united by their places. And with ANSI mode off, a CAST that does not fit gives NULL or another
number.
"""

import re

TEXTS = frozenset(("string", "varchar", "char"))
DIGITS = {
    **dict.fromkeys(("tinyint", "byte"), 3),
    **dict.fromkeys(("smallint", "short"), 5),
    **dict.fromkeys(("int", "integer"), 10),
    **dict.fromkeys(("bigint", "long"), 19),
}
"""The decimal digits of Spark's integers."""
EXACT_IN = {"float": 5, "double": 10}
"""So many digits of an integer are exact in these, as far as whole types of integers go."""
MOST_DIGITS = 38
DECIMAL = re.compile(r"(?:decimal|dec|numeric)\((\d+),(\d+)\)")
DAYS, TIMES = "date", ("timestamp", "timestamp_ntz")
NOTHING = "void"
"""The type of a NULL."""


def holds(wide: str, narrow: str) -> bool:
    """True if a cast to ``wide`` keeps every value of ``narrow``."""
    wide, narrow = _plain(wide), _plain(narrow)
    if narrow in (wide, NOTHING):
        return True
    if wide == "string":
        return _kind(narrow) in TEXTS
    whole = DIGITS.get(narrow)
    if wide in EXACT_IN:
        is_narrower_float = (wide, narrow) == ("double", "float")
        return is_narrower_float or (whole is not None and whole <= EXACT_IN[wide])
    if wide in DIGITS:
        return whole is not None and whole <= DIGITS[wide]
    if wide in TIMES:
        return narrow == DAYS
    return _fits(_digits(wide), _digits(narrow))


def unite(one: str, other: str) -> bool:
    """True if the type that Spark finds for both keeps every value of both."""
    if holds(one, other) or holds(other, one):
        return True
    if {_kind(_plain(one)), _kind(_plain(other))} <= TEXTS:
        return True
    mine, theirs = _digits(_plain(one)), _digits(_plain(other))
    if mine is None or theirs is None:
        return False
    return max(mine[0], theirs[0]) + max(mine[1], theirs[1]) <= MOST_DIGITS


def _fits(wide: tuple[int, int] | None, narrow: tuple[int, int] | None) -> bool:
    if wide is None or narrow is None:
        return False
    return wide[0] >= narrow[0] and wide[1] >= narrow[1]


def _digits(kind: str) -> tuple[int, int] | None:
    """Digits before and after the point; None if the type is not of exact numbers."""
    if kind in DIGITS:
        return DIGITS[kind], 0
    found = DECIMAL.fullmatch(kind)
    return None if found is None else (int(found[1]) - int(found[2]), int(found[2]))


def _kind(plain: str) -> str:
    return plain.partition("(")[0]


def _plain(kind: str) -> str:
    return "".join(kind.lower().split())
