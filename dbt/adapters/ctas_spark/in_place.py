"""What an increment does to a table in place: all of it is checked before any of it is done."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from dbt_common.exceptions import CompilationError

from ctas_spark import quoting
from ctas_spark.errors import ConfigurationError
from dbt.adapters.ctas_spark.batches import NEW, OLD, Batch, Side, columns_of
from dbt.adapters.ctas_spark.old_rows import (
    ADDED,
    REMOVED,
    SYNC,
    differs,
    key_path,
    predicates,
    sets,
    updated,
)
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.type_changes import NOTHING, aligned, holds, narrowed, same

FAIL = "fail"
CHANGES = (ADDED, SYNC, FAIL)
"""What ``on_schema_change`` may be, besides ``ignore``, which is its default."""
REMEDY = "cast it in the model, or run it with --full-refresh"
WIDENED = {"tinyint": "int", "smallint": "int", "varchar": "string", "char": "string"}
"""What Iceberg has for types that it lacks."""
LACKED = re.compile(r"(?<![\w`])(tinyint|smallint|varchar|char)\b(?:\(\d+\))?(?!\s*[:`])")
GROWN = {("int", "bigint"), ("float", "double")}
"""Changes of a type that Iceberg has; so is a decimal of more digits."""
DECIMAL = re.compile(r"decimal\(\d+,(\d+)\)")
OUT_OF_SYNC = """
The source and target schemas on this incremental model are out of sync!
They can be reconciled in several ways:
  - set the `on_schema_change` config to either append_new_columns or sync_all_columns, depending \
on your situation.
  - Re-run the incremental model with `full_refresh: True` to update the target schema.
  - update the schema manually and re-run the process.

Additional troubleshooting context:
   Source columns not in target: {added}
   Target columns not in source: {removed}
   New column types: {types}"""


class Format(str, Enum):
    """A format of tables, by what it can change of their columns."""

    FILES = "a table of files"
    DELTA = "Delta"
    ICEBERG = "Iceberg"
    OTHER = "the catalog"

    @classmethod
    def of(cls, table: CtasSparkRelation) -> "Format":
        """The format of a table that exists."""
        if table.is_iceberg:
            return cls.ICEBERG
        if table.is_delta:
            return cls.DELTA
        return cls.FILES if table.in_session_catalog else cls.OTHER

    def stored(self, kind: str) -> str:
        """The type that a column has in the table if its values are of type ``kind``."""
        if self is not Format.ICEBERG:
            return kind
        return LACKED.sub(lambda found: WIDENED[found[1].lower()], kind)

    def drops(self, properties: Mapping[str, str]) -> bool:
        """Whether a column can be dropped."""
        if self is Format.DELTA:
            return properties.get("delta.columnMapping.mode") in ("name", "id")
        return self is not Format.FILES

    def retypes(self, kind: str, to: str, properties: Mapping[str, str]) -> bool:
        """Whether a column can be given another type."""
        if self is Format.DELTA:
            return properties.get("delta.enableTypeWidening") == "true"
        if self is Format.ICEBERG:
            decimals = [DECIMAL.fullmatch(one.replace(" ", "")) for one in (kind, to)]
            has_scale = all(decimals) and len({one[1] for one in decimals if one}) == 1
            return has_scale or (kind, to) in GROWN
        return self is Format.OTHER


@dataclass(frozen=True, slots=True)
class Increment:
    """How a table's columns change, and how new rows fill them.

    ``values`` are SQL of a row named ``DBT_INTERNAL_SOURCE``, by the columns of the table as it is
    to be; None where new rows lack a column.
    """

    table: str
    rows: str
    values: Mapping[str, str | None]
    dropped: tuple[str, ...]
    retyped: Mapping[str, str]
    added: Mapping[str, str]
    beside: str = ""
    """What the new rows are joined with."""

    @property
    def alterations(self) -> list[str]:
        """The statements that change the columns; those come first that a format may refuse."""
        alter = f"ALTER TABLE {self.table}"
        said = [f"DROP COLUMN {quoting.identifier(name)}" for name in self.dropped]
        for name, kind in self.retyped.items():
            said.append(f"ALTER COLUMN {quoting.identifier(name)} TYPE {kind}")
        if self.added:
            columns = (f"{quoting.identifier(name)} {kind}" for name, kind in self.added.items())
            said.append(f"ADD COLUMNS ({', '.join(columns)})")
        return [f"{alter} {one}" for one in said]

    @property
    def source(self) -> str:
        """Select the new rows as the table has its columns."""
        named = (
            f"{value or 'NULL'} AS {quoting.identifier(name)}"
            for name, value in self.values.items()
        )
        return f"SELECT {', '.join(named)} FROM {self.rows} AS {NEW} {self.beside}"  # noqa: S608 (quoted)

    def merge(self, node: str, config: Mapping[str, Any], source: str) -> str:
        """The MERGE of a view that selects ``source``, as dbt-spark's, with its columns named.

        A column that new rows lack keeps what it has in a row that is found.
        """
        set_by = updated(node, config, self.values)
        keys = (key_path(key, self.values) for key in quoting.names(config.get("unique_key")))
        same_key = [f"{NEW}.{key} = {OLD}.{key}" for key in keys] or ["FALSE"]
        condition = " AND ".join([*(f"({one})" for one in predicates(config)), *same_key])
        pairs = ", ".join(
            f"{quoting.identifier(name)} = {NEW}.{quoting.identifier(name)}"
            for name, value in self.values.items()
            if value is not None and sets(set_by, name)
        )
        updates = f"WHEN MATCHED THEN UPDATE SET {pairs} " if pairs else ""
        names = quoting.identifiers(self.values)
        inserted = ", ".join(f"{NEW}.{quoting.identifier(name)}" for name in self.values)
        return (
            f"MERGE INTO {self.table} AS {OLD} USING {source} AS {NEW} ON {condition} "  # noqa: S608 (quoted)
            f"{updates}WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({inserted})"
        )

    def insert(self, source: str, partition_by: Iterable[str] | None = None) -> str:
        """The INSERT of a view that selects ``source``, as dbt-spark's, which asks for the columns.

        ``partition_by`` are the columns whose partitions it overwrites, and empty where the table
        knows them, or has none; None if it overwrites nothing.
        """
        how = "INTO" if partition_by is None else "OVERWRITE"
        by = f" PARTITION ({quoting.identifiers(partition_by)})" if partition_by else ""
        names = quoting.identifiers(self.values)
        return f"INSERT {how} {self.table}{by} SELECT {names} FROM {source}"  # noqa: S608 (quoted)

    def for_batch(
        self, batch: Batch, partition_by: Any, *, are_directories: bool = False
    ) -> "Increment":
        """The increment with rows that fail where they would replace more than their batch.

        ``partition_by`` are the partitions that the statement replaces; None if it replaces rows.
        """
        known = {name.lower(): value for name, value in self.values.items()}
        parts = {name: known.get(name.lower()) or _of(name) for name in columns_of(partition_by)}
        if not parts:
            return replace(self, values=batch.guarded(self.values))
        values = batch.guarded(self.values, batch.shared(parts))
        joined = batch.with_partitions(self.table, parts, are_directories=are_directories)
        return replace(self, values=values, beside=joined)

    def replaced(self, batch: Batch, source: str, columns: Iterable[str]) -> str:
        """Delta's statement that puts the rows of a view in place of those of the batch."""
        names = quoting.identifiers(columns)
        return f"INSERT INTO {self.table} REPLACE WHERE {batch.has()} SELECT {names} FROM {source}"  # noqa: S608 (quoted)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table's columns and those of new rows, whose names in another case are the same."""

    format: Format
    changes: str | None
    old: Mapping[str, str]
    new: Mapping[str, tuple[str, str]]
    """By names in lower case, each with its name and type."""
    properties: Mapping[str, str] = field(default_factory=dict)
    has_contract: bool = False
    remedy: str = REMEDY

    @property
    def added(self) -> dict[str, str]:
        """The columns that the table lacks."""
        known = set(map(str.lower, self.old))
        return dict(column for name, column in self.new.items() if name not in known)

    @property
    def removed(self) -> list[str]:
        """The columns that the new rows lack."""
        return [name for name in self.old if name.lower() not in self.new]

    @property
    def retyped(self) -> dict[str, str]:
        """The columns whose values have a type that the table has in another way."""
        both = ((name, kind, self.new.get(name.lower())) for name, kind in self.old.items())
        return {
            name: other[1]
            for name, kind, other in both
            if other is not None and not same(self.format.stored(other[1]), kind)
        }

    def refuse_any(self) -> None:
        """Return if the columns are the same, for ``on_schema_change: fail``.

        Raises:
            CompilationError: dbt's own.
        """
        added, removed, types = [*self.added], self.removed, self.retyped
        if added or removed or types:
            raise CompilationError(OUT_OF_SYNC.format(added=added, removed=removed, types=types))

    def values(self) -> dict[str, str | None]:
        """What a new row has for each column of the table as it is to be."""
        found = {name: self._value(name, kind) for name, kind in self.old.items()}
        dropped = self.removed if self.changes == SYNC else ()
        kept = {name: value for name, value in found.items() if name not in dropped}
        added = self.added if self.changes in (ADDED, SYNC) else {}
        return {**kept, **{name: _of(name) for name in added}}

    def problems(self) -> Iterator[str]:
        """Why the table can't take the rows."""
        for name in self.removed:
            yield from self._of_removed(name)
        for name, kind in self.added.items():
            yield from self._of_added(name, kind)
        for name, kind in self.old.items():
            other = self.new.get(name.lower())
            if other is not None and not self._takes(name, kind, other[1]):
                problem = differs(name, kind, other[1], self.remedy)
                yield f"{problem}{self._unchangeable}" if self.changes == SYNC else problem

    @property
    def _unchangeable(self) -> str:
        return f" ({self.format.value} can't change it)"

    def _of_removed(self, name: str) -> Iterator[str]:
        if self.changes == SYNC:
            if not self.format.drops(self.properties):
                yield (
                    f"column {name}: is in the table and not in the new rows, and "
                    f"{self.format.value} can't drop it; use on_schema_change: "
                    "append_new_columns, which writes NULL there, or run with --full-refresh"
                )
        elif self.has_contract:
            yield f"column {name}: is in the table and not in the contract; run with --full-refresh"
        elif self.changes != ADDED:
            yield REMOVED.format(name)

    def _of_added(self, name: str, kind: str) -> Iterator[str]:
        if self.changes in (ADDED, SYNC):
            if kind == NOTHING:
                yield f"column {name}: is NULL in all new rows, and has no type; cast it"
        elif self.has_contract:
            yield f"column {name}: is in the contract and not in the table; run with --full-refresh"

    def _takes(self, name: str, kind: str, other: str) -> bool:
        """Whether the values of a column survive in the table as it is, or as it can become."""
        if name in self.retyped and self.changes == SYNC:
            return holds(other, kind) and self.format.retypes(kind, other, self.properties)
        if name in self.retyped and self.has_contract and other != NOTHING:
            return False
        return self._value(name, kind) is not None

    def _value(self, name: str, kind: str) -> str | None:
        column, other = self.new.get(name.lower(), (name, ""))
        if not other:
            return None
        value, error = _of(column), f"column {name}: a value of type {other} does not fit in {kind}"
        if name in self.retyped and self.changes == SYNC:
            return value
        return aligned(value, other, kind) or narrowed(value, other, kind, error)


def compared(
    table: CtasSparkRelation,
    changes: str | None,
    old: Side,
    new: Side,
    **known: Any,
) -> Comparison:
    """The columns of a table and of new rows; ``changes`` is an ``on_schema_change``."""
    return Comparison(
        format=Format.of(table),
        changes=changes if changes in CHANGES else None,
        old=old[1],
        new={name.lower(): (name, kind) for name, kind in new[1].items()},
        **known,
    )


def planned(node: str, found: Comparison, old: Side, new: Side) -> Increment:
    """What is to be done.

    Raises:
        CompilationError: the columns have changed, and the model says that this is to fail.
        ConfigurationError: the table can't take the rows, with all columns that are the cause.
    """
    if found.changes == FAIL:
        found.refuse_any()
    if problems := [*found.problems()]:
        raise ConfigurationError(node, problems)
    is_synced, is_grown = found.changes == SYNC, found.changes in (ADDED, SYNC)
    return Increment(
        table=old[0],
        rows=new[0],
        values=found.values(),
        dropped=tuple(found.removed) if is_synced else (),
        retyped=found.retyped if is_synced else {},
        added=found.added if is_grown else {},
    )


def _of(column: str) -> str:
    return f"{NEW}.{quoting.identifier(column)}"
