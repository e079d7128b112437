"""Spark's schema of a table of files: JSON in the entry's properties, in parts where it is long.

Hive's own columns hold less: no nested types of some formats, and 256 characters of a comment.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from ..context import TableName
from ..errors import EntryModifiedError, MetastoreError
from ..metastore.client import EntryChange, Expectation, TableEntry
from .base import SCHEMA
from .entries import MOST_ATTEMPTS, EntryWriter
from .record import RECORD, Record, table_named

PARTS, PART = f"{SCHEMA}.numParts", f"{SCHEMA}.part."
LONGEST_PART = 4_000
"""Characters, as Spark cuts it: some metastores hold no longer value."""
MOST_OF_COMMENT = 256
"""Characters that Hive's package.jdo has for one."""

Find = Callable[[str], str | None]


def columns_of(entry: TableEntry) -> dict[str, str]:
    """Type by column name, or a nested type's kind; the metastore's own where Spark wrote none."""
    text = _text(entry)
    if not text:
        return dict(entry.columns)
    types = {field["name"]: field["type"] for field in json.loads(text)["fields"]}
    return {name: one if isinstance(one, str) else str(one["type"]) for name, one in types.items()}


def comment(entries: EntryWriter, staged: TableName, find: Find) -> tuple[str, ...]:
    """Comment the columns of a staged table by one call: whole in Spark's schema, cut in Hive's.

    Spark's own call writes back what it read before, and so undoes a clean-up that takes the
    version meanwhile.

    Args:
        find: the text of a column by its name; None leaves its comment.

    Returns:
        the partition columns that have a text: Spark comments on none of them.

    Raises:
        MetastoreError: it was not changed, or may have been.
    """
    for _ in range(MOST_ATTEMPTS):
        entry = entries.metastore.get_table(staged)
        if entry is None:
            raise MetastoreError(f"{staged} is gone")
        with suppress(EntryModifiedError):
            _write(entries, entry, find)
            return tuple(name for name in entry.partition_columns if find(name) is not None)
    raise MetastoreError(f"{staged} kept changing, so its comments could not be written")


def _write(entries: EntryWriter, entry: TableEntry, find: Find) -> None:
    texts = {
        name: text
        for name in columns_of(entry)
        if name not in entry.partition_columns and (text := find(name)) is not None
    }
    if texts:
        parameters = _with_comments(entry, texts) if _text(entry) else dict(entry.parameters)
        of_hive = {name.lower(): text[:MOST_OF_COMMENT] for name, text in texts.items()}
        commented = replace(entry, comments={**entry.comments, **of_hive})
        change = EntryChange.of(entry, parameters, commented.described_columns)
        record = Record.of(entry)
        # the lock of its target guards a record, where there is one
        guarded = table_named(record.target) if record is not None else entry.name
        text = entry.parameters.get(RECORD)
        entries.change(guarded, change, Expectation(RECORD, text) if text is not None else None)


def _with_comments(entry: TableEntry, texts: Mapping[str, str]) -> dict[str, str]:
    document = json.loads(_text(entry))
    for field in document["fields"]:
        if field["name"] in texts:
            field.setdefault("metadata", {})["comment"] = texts[field["name"]]
    others = {
        key: value
        for key, value in entry.parameters.items()
        if key not in (SCHEMA, PARTS) and not key.startswith(PART)
    }
    return {**others, **dict(_kept_as(json.dumps(document, separators=(",", ":"))))}


def _kept_as(text: str) -> Iterator[tuple[str, str]]:
    """As Spark keeps it."""
    if len(text) <= LONGEST_PART:
        yield SCHEMA, text
        return
    starts = range(0, len(text), LONGEST_PART)
    yield PARTS, str(len(starts))
    for number, start in enumerate(starts):
        yield f"{PART}{number}", text[start : start + LONGEST_PART]


def _text(entry: TableEntry) -> str:
    count = int(entry.parameters.get(PARTS, "0"))
    in_parts = (entry.parameters.get(f"{PART}{number}", "") for number in range(count))
    return entry.parameters.get(SCHEMA) or "".join(in_parts)
