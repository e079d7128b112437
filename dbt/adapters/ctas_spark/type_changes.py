"""Whether a column's values survive a change of its type.

Spark unites two types without asking: a bigint and a float become a float, and fields of structs
are united by their places. And with ANSI mode off, a CAST that does not fit gives NULL or another
number.
"""

import re
from collections.abc import Iterator

from ctas_spark import quoting

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
WORD = re.compile(r"[a-z_]\w*", re.ASCII | re.IGNORECASE)
"""What needs no backticks."""
NESTED = re.compile(r"(struct|array|map)<(.*)>", re.DOTALL | re.IGNORECASE)


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


def narrowed(value: str, kind: str, to: str, error: str) -> str | None:
    """SQL that fails with the text ``error`` for a number that would not be the same in ``to``.

    Anything with a text becomes one, whose length Spark's writers check. None if values of the type
    would be rounded, or have no text.
    """
    if _kind(_plain(to)) in TEXTS and not NESTED.fullmatch(kind) and _plain(kind) != "binary":
        return value if _kind(_plain(kind)) in TEXTS else f"CAST({value} AS string)"
    mine, theirs = _digits(_plain(kind)), _digits(_plain(to))
    if mine is None or (_plain(to) not in EXACT_IN and (theirs is None or theirs[1] < mine[1])):
        return None
    cast = f"try_cast({value} AS {to})"
    is_same = f"{value} IS NULL OR try_cast({cast} AS {kind}) = {value}"
    return f"IF({is_same}, {cast}, raise_error({quoting.string(error)}))"


def same(one: str, other: str) -> bool:
    """True if two types differ at most in the order and the case of fields, or both are texts."""
    if {_kind(_plain(one)), _kind(_plain(other))} <= TEXTS:
        return True
    return _canonical(one) == _canonical(other)


def in_sql(kind: str) -> str:
    """A type as statements take it: Spark shows the names of fields without backticks.

    One stays as it is if a name has in it what separates fields.
    """
    try:
        return _quoted(kind)
    except ValueError:
        return kind


def _quoted(kind: str) -> str:
    found = NESTED.fullmatch(kind)
    if found is None:
        return kind
    if found[1].lower() != "struct":
        return f"{found[1]}<{','.join(map(_quoted, _listed(found[2])))}>"
    fields = (
        f"{name if WORD.fullmatch(name) else quoting.identifier(name)}:{_quoted(one)}"
        for name, one in _fields(found[2])
    )
    return f"{found[1]}<{','.join(fields)}>"


def _canonical(kind: str) -> str:
    found = NESTED.fullmatch(kind.strip())
    if found is None:
        return _plain(kind)
    if found[1].lower() != "struct":
        return f"{found[1].lower()}<{','.join(map(_canonical, _listed(found[2])))}>"
    fields = sorted((name.lower(), _canonical(inner)) for name, inner in _fields(found[2]))
    return repr(fields)


def aligned(value: str, kind: str, to: str, depth: int = 0) -> str | None:
    """SQL that makes a value of type ``kind`` one of type ``to``; None if it might change.

    Fields of structs are found by their names in any case, also in arrays and in maps: Spark would
    put them where their places are. ``value`` is SQL.
    """
    if _plain(kind) == _plain(to):
        return value
    mine, theirs = NESTED.fullmatch(kind.strip()), NESTED.fullmatch(to.strip())
    if mine is None or theirs is None:
        return f"CAST({value} AS {to})" if holds(to, kind) else None
    if mine[1].lower() != theirs[1].lower():
        return None
    if mine[1].lower() == "struct":
        return _struct(value, mine[2], theirs[2], depth)
    return _elements(value, [*_listed(mine[2])], [*_listed(theirs[2])], depth)


def _struct(value: str, mine: str, theirs: str, depth: int) -> str | None:
    have = {name.lower(): (name, kind) for name, kind in _fields(mine)}
    wanted = [*_fields(theirs)]
    if sorted(have) != sorted(name.lower() for name, _ in wanted):
        return None
    made = []
    for name, to in wanted:
        own, kind = have[name.lower()]
        field = aligned(f"{value}.{quoting.identifier(own)}", kind, to, depth)
        if field is None:
            return None
        made.append(f"{quoting.string(name)}, {field}")
    return f"IF({value} IS NULL, NULL, named_struct({', '.join(made)}))"


def _elements(value: str, mine: list[str], theirs: list[str], depth: int) -> str | None:
    """Those of an array, or the entries of a map."""
    one = f"ctas_{depth}"
    if len(mine) == 1:
        element = aligned(one, mine[0], theirs[0], depth + 1)
        return None if element is None else f"transform({value}, {one} -> {element})"
    key = aligned(f"{one}.key", mine[0], theirs[0], depth + 1)
    entry = aligned(f"{one}.value", mine[1], theirs[1], depth + 1)
    if key is None or entry is None:
        return None
    entries = f"transform(map_entries({value}), {one} -> struct({key}, {entry}))"
    return f"map_from_entries({entries})"


def _fields(inside: str) -> Iterator[tuple[str, str]]:
    """The names and types in a struct's text."""
    for one in _listed(inside):
        name, kind = _listed(one, ":", most=1)
        yield quoting.unquoted(name), kind.strip()


def _listed(text: str, separator: str = ",", most: int = -1) -> Iterator[str]:
    """The parts between separators that are in no bracket and in no backticks."""
    depth, start, is_quoted = 0, 0, False
    for at, character in enumerate(text):
        is_quoted ^= character == "`"
        if is_quoted:
            continue
        depth += (character in "<(") - (character in ">)")
        if character == separator and depth == 0 and most:
            yield text[start:at]
            start, most = at + 1, most - 1
    yield text[start:]


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
