"""Spark's schema of a table of files: JSON in the entry's properties, in parts where it is long.

Hive's own columns hold less: no nested types of some formats, and 256 characters of a comment.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress

from ..context import TableName
from ..errors import EntryModifiedError, MetastoreError
from ..metastore.client import TableEntry
from .base import SCHEMA
from .entries import EntryWriter
from .record import RECORD, Record

PARTS, PART = f"{SCHEMA}.numParts", f"{SCHEMA}.part."
LONGEST_PART = 4_000
"""Characters, as Spark cuts it: some metastores hold no longer value."""
MOST_ATTEMPTS = 10


def columns_of(entry: TableEntry) -> dict[str, str]:
    """Type by column name; the metastore's own columns where Spark wrote none."""
    text = _text(entry)
    if not text:
        return dict(entry.columns)
    return {field["name"]: _type(field["type"]) for field in json.loads(text)["fields"]}


def keep_whole_comments(entries: EntryWriter, name: TableName, texts: Mapping[str, str]) -> None:
    """Give Spark these comments of columns, whatever Hive's columns have of them.

    The table is a staged one: only a clean-up that takes its version changes it as well.

    Raises:
        MetastoreError: it was not changed, or may have been.
    """
    for _ in range(MOST_ATTEMPTS):
        entry = entries.metastore.get_table(name)
        if entry is None or not _text(entry):
            return
        with suppress(EntryModifiedError):
            entries.set(_target_of(entry), entry, _with_comments(entry, texts), RECORD)
            return
    raise MetastoreError(f"{name} is changed by others all the time; its comments were not set")


def _target_of(staged: TableEntry) -> TableName:
    """The target whose lock guards the entry, where there is one."""
    record = Record.of(staged)
    return TableName(*record.target.split(".")) if record is not None else staged.name


def _with_comments(entry: TableEntry, texts: Mapping[str, str]) -> dict[str, str]:
    document = json.loads(_text(entry))
    for field in document["fields"]:
        if field["name"] in texts:
            field.setdefault("metadata", {})["comment"] = texts[field["name"]]
    others = {key: value for key, value in entry.parameters.items() if not _is_text(key)}
    return {**others, **dict(_parts(json.dumps(document, separators=(",", ":"))))}


def _parts(text: str) -> Iterator[tuple[str, str]]:
    starts = range(0, len(text), LONGEST_PART)
    yield PARTS, str(len(starts))
    for number, start in enumerate(starts):
        yield f"{PART}{number}", text[start : start + LONGEST_PART]


def _text(entry: TableEntry) -> str:
    count = int(entry.parameters.get(PARTS, "0"))
    in_parts = (entry.parameters.get(f"{PART}{number}", "") for number in range(count))
    return entry.parameters.get(SCHEMA) or "".join(in_parts)


def _is_text(key: str) -> bool:
    return key in (SCHEMA, PARTS) or key.startswith(PART)


def _type(kind: object) -> str:
    """A simple type's name; of a nested one, its kind."""
    return kind if isinstance(kind, str) else str(kind["type"])  # type: ignore[index]
