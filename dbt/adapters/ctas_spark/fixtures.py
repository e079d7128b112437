"""A unit test's row as SQL: each value is cast to its column's type, fields by their names."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ctas_spark import quoting

NESTED = re.compile(r"\s*(struct|array|map)\s*<(.*)>\s*", re.IGNORECASE | re.DOTALL)
FIELD = re.compile(r"\s*(`(?:``|[^`])*`|[^:\s]+)\s*(?::|\s)\s*(.+)", re.DOTALL)
BRACKETS = {"<": 1, "(": 1, ">": -1, ")": -1}


def value_of(value: object, kind: str, column: str) -> str:
    """A value as SQL of that type. A text is SQL where the type is nested, as in dbt-spark.

    Raises:
        ValueError: the value has a shape, or a field, that the type does not have.
    """
    found = NESTED.fullmatch(kind)
    if value is None or not found:
        return _cast(_plain(value, kind, column), kind)
    nested, inner = found[1].lower(), [*_parts(found[2])]
    if isinstance(value, str):
        return _cast(value, kind)
    if nested == "array" and isinstance(value, Sequence):
        values = [value_of(one, inner[0], f"{column}[]") for one in value]
    elif nested == "map" and isinstance(value, Mapping):
        pairs = [*zip(inner, ("key", "value"), strict=True)]
        values = [
            value_of(one, part, f"{column}.{name}")
            for pair in value.items()
            for one, (part, name) in zip(pair, pairs, strict=True)
        ]
    elif nested == "struct" and isinstance(value, Mapping):
        nested, values = "named_struct", [*_fields(value, inner, column)]
    else:
        raise ValueError(f"{column}: {value!r} is not of the type {nested}")
    return _cast(f"{nested}({', '.join(values)})", kind)


def _fields(value: Mapping[object, object], fields: list[str], column: str) -> Iterator[str]:
    given = {str(name).lower(): one for name, one in value.items()}
    for field in fields:
        found = FIELD.fullmatch(field)
        name, kind = (quoting.unquoted(found[1]), found[2]) if found else ("", field)
        yield quoting.string(name)
        yield value_of(given.pop(name.lower(), None), kind, f"{column}.{name}")
    if given:
        raise ValueError(f"{column} has no field {', '.join(given)}")


def _parts(text: str) -> Iterator[str]:
    """What commas separate outside of brackets and backticks."""
    depth, start, is_name = 0, 0, False
    for at, letter in enumerate(text):
        is_name ^= letter == "`"
        depth += 0 if is_name else BRACKETS.get(letter, 0)
        if letter == "," and not depth and not is_name:
            yield text[start:at]
            start = at + 1
    if text.strip():
        yield text[start:]


def _plain(value: object, kind: str, column: str) -> str:
    try:
        return quoting.literal(value)
    except TypeError as error:
        raise ValueError(f"{column}: {value!r} is not of the type {kind}") from error


def _cast(value: str, kind: str) -> str:
    return f"CAST({value} AS {kind.strip()})"
