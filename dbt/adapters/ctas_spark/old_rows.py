"""A table's old rows and the new ones, which replace some of them, as one query."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ctas_spark import quoting
from ctas_spark.errors import ConfigurationError, DuplicateKeyError
from dbt.adapters.ctas_spark.batches import NEW, OLD, Batch, Side, directory
from dbt.adapters.ctas_spark.increments import (
    APPEND,
    BY_PARTITION,
    DELETE_INSERT,
    EXCLUDED,
    MERGE,
    MICROBATCH,
    UPDATED,
    strategy_of,
)
from dbt.adapters.ctas_spark.type_changes import aligned, unite

SYNC, ADDED = "sync_all_columns", "append_new_columns"
IS_NEW, SAME_KEY = "__ctas_spark_is_new", "__ctas_spark_same_key"
MAY_GO, HAS_NEW = "__ctas_spark_may_go", "__ctas_spark_has_new"
TWICE = (
    f"[{DuplicateKeyError.name}] incremental_strategy merge: several new rows match one row of the "
    "table by "
)
MOST_OF_A_KEY = 100
SELECT_ONE = "'; let the model select one row for each key"
REMEDY = "cast it in the model, or run it with --full-refresh"
REMOVED = (
    "column {}: is in the table and not in the new rows; on_schema_change: append_new_columns "
    "writes NULL there, and sync_all_columns drops it"
)


@dataclass(frozen=True, slots=True)
class Values:
    """What a column holds in a row of the table and in a new one, as SQL; None if it lacks it."""

    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Increment:
    """The old rows and the new ones; ``old`` and ``new`` are names as SQL.

    The new rows are read once: two scans of a query may give different rows. ``columns`` are those
    of the version to publish. ``keys`` are the partition columns of a strategy by partition, or
    else the unique key. ``updated`` are the columns, in lower case,
    that a merge sets in a row that it finds; None means all.
    """

    old: str
    new: str
    columns: Mapping[str, Values]
    keys: tuple[str, ...] = ()
    updated: frozenset[str] | None = None
    predicates: tuple[str, ...] = ()
    batch: Batch | None = None

    def query(self, strategy: str) -> str:
        """Select what the table is to hold."""
        if self.batch is not None:
            kept = f"{self._old_rows()} WHERE NOT coalesce({self.batch.has(OLD)}, FALSE)"
            return f"{kept} UNION ALL {self._new_rows()}"
        if strategy in BY_PARTITION:
            return self._without_replaced("TRUE", directory) if self.keys else self._new_rows()
        if not self.keys or strategy == APPEND:
            return f"{self._old_rows()} UNION ALL {self._new_rows()}"
        if strategy == MERGE:
            return self._merged()
        keys = (f"{OLD}.{key_path(key, self.columns)} IS NOT NULL" for key in self.keys)
        conditions = [*keys, *(f"({one})" for one in self.predicates)]
        return self._without_replaced(f"coalesce({' AND '.join(conditions)}, FALSE)", str)

    def _without_replaced(self, may_go: str, part: Callable[[str], str]) -> str:
        """The new rows, and the old ones that may not go, or whose key no new row has.

        ``may_go`` is SQL of an old row, and ``part`` makes SQL of a part of the key.
        """
        together = (
            f"{self._old_rows(f'FALSE AS {IS_NEW}', f'{may_go} AS {MAY_GO}')} UNION ALL "
            f"{self._new_rows(f'TRUE AS {IS_NEW}', f'FALSE AS {MAY_GO}')}"
        )
        keys = ", ".join(part(key_path(key, self.columns)) for key in self.keys)
        marked = f"SELECT *, bool_or({IS_NEW}) OVER (PARTITION BY {keys}) AS {HAS_NEW}"
        return (
            f"SELECT {quoting.identifiers(self.columns)} FROM ({marked} FROM ({together})) "  # noqa: S608 (quoted)
            f"WHERE NOT ({MAY_GO} AND {HAS_NEW})"
        )

    def _merged(self) -> str:
        keys = ", ".join(key_path(key, self.columns) for key in self.keys)
        marked = (
            f"SELECT *, TRUE AS {IS_NEW}, COUNT(*) OVER (PARTITION BY {keys}) AS {SAME_KEY} "  # noqa: S608 (quoted)
            f"FROM {self.new}"
        )
        old = f"SELECT *, FALSE AS {IS_NEW} FROM {self.old}"  # noqa: S608 (quoted)
        said = (f"({one})" for one in self.predicates)
        condition = " AND ".join([*map(self._same, self.keys), *said])
        columns = ", ".join(map(self._merged_column, self.columns))
        return (
            f"SELECT {columns} FROM ({old}) AS {OLD} "  # noqa: S608 (quoted)
            f"FULL JOIN ({marked}) AS {NEW} ON {condition}"
        )

    def _merged_column(self, column: str) -> str:
        values, old = self.columns[column], self.columns[column].old or "NULL"
        is_found, is_new = f"{OLD}.{IS_NEW} IS NOT NULL", f"{NEW}.{IS_NEW} IS NOT NULL"
        cases = ""
        if column == next(iter(self.columns)):
            paths = (f"CAST({NEW}.{key_path(key, self.columns)} AS STRING)" for key in self.keys)
            key = f"left(concat_ws(', ', {', '.join(paths)}), {MOST_OF_A_KEY})"
            said = quoting.string(f"{TWICE}{', '.join(self.keys)}, such as '")
            error = f"concat({said}, {key}, {quoting.string(SELECT_ONE)})"
            both = f"{is_found} AND {is_new} AND {NEW}.{SAME_KEY} > 1"
            cases = f"WHEN {both} THEN raise_error({error}) "
        if values.new is None or not sets(self.updated, column):
            cases += f"WHEN {is_found} THEN {old} "
        cases += f"WHEN {is_new} THEN {values.new or 'NULL'}"
        return f"CASE {cases} ELSE {old} END AS {quoting.identifier(column)}"

    def _old_rows(self, *more: str) -> str:
        values = {name: one.old for name, one in self.columns.items()}
        return f"{_selected(values, *more)} FROM {self.old} AS {OLD}"

    def _new_rows(self, *more: str) -> str:
        values = {name: one.new for name, one in self.columns.items()}
        values = self.batch.guarded(values) if self.batch else values
        return f"{_selected(values, *more)} FROM {self.new} AS {NEW}"

    def _same(self, key: str) -> str:
        path = key_path(key, self.columns)
        return f"{OLD}.{path} = {NEW}.{path}"


def sets(updated: frozenset[str] | None, column: str) -> bool:
    """Whether a merge sets the column in a row that it finds."""
    return updated is None or column.lower() in updated


def key_path(key: str, columns: Iterable[str]) -> str:
    """A part of the unique key as SQL: a column, or a field of one."""
    is_column = key.lower() in map(str.lower, columns)
    return (
        quoting.identifier(key) if is_column else ".".join(map(quoting.identifier, key.split(".")))
    )


def _selected(values: Mapping[str, str | None], *more: str) -> str:
    named = (f"{one or 'NULL'} AS {quoting.identifier(name)}" for name, one in values.items())
    return f"SELECT {', '.join((*named, *more))}"


def with_new(
    node: str, config: Mapping[str, Any], old: Side, new: Side, batch: Batch | None = None
) -> str:
    """Select what the table is to hold, as the model's configs say.

    Raises:
        ConfigurationError: as ``of_both``; or the configs name a column that there is not.
    """
    strategy, changes = strategy_of(config), config.get("on_schema_change")
    if strategy in (MERGE, DELETE_INSERT):
        check_key(node, config, old, new)
    if batch is not None:
        batch.check(node, ("the table", old), ("the model's rows", new))
    columns = of_both(node, changes, old, new, REMEDY)
    keys = "partition_by" if strategy in BY_PARTITION else "unique_key"
    found = Increment(
        old[0],
        new[0],
        columns,
        keys=quoting.names(config.get(keys)),
        updated=updated(node, config, columns),
        predicates=predicates(config),
        batch=batch if strategy == MICROBATCH else None,
    )
    return found.query(strategy)


def check_key(node: str, config: Mapping[str, Any], old: Side, new: Side) -> None:
    """Return if the table and the new rows have the columns of the unique key.

    Raises:
        ConfigurationError: one of them lacks a column, which Delta's error would not name.
    """
    problems = [
        f"unique_key: there is no column {key} in {where}"
        for key in quoting.names(config.get("unique_key"))
        for where, columns in (("the table", old[1]), ("the model's rows", new[1]))
        if {key.lower(), key.lower().partition(".")[0]}.isdisjoint(map(str.lower, columns))
    ]
    if problems:
        raise ConfigurationError(node, problems)


def of_both(node: str, changes: str | None, old: Side, new: Side, remedy: str) -> dict[str, Values]:
    """The columns of a version of old and new rows; names in another case are the same.

    ``changes`` is an ``on_schema_change``.

    Raises:
        ConfigurationError: a column's old or new values would not survive its change of type, or
            the new rows lack one that is to stay.
    """
    added = {name.lower(): (name, kind) for name, kind in new[1].items()}
    columns, problems = dict[str, Values](), list[str]()
    for name, kind in old[1].items():
        value, other = f"{OLD}.{quoting.identifier(name)}", added.pop(name.lower(), None)
        if other is not None:
            both = _united(changes, kind, value, *other)
            columns[name] = both or Values(None, None)
            if both is None:
                problems.append(differs(name, kind, other[1], remedy))
        elif changes == ADDED:
            columns[name] = Values(value, None)
        elif changes != SYNC:
            problems.append(REMOVED.format(name))
    if problems:
        raise ConfigurationError(node, problems)
    if changes in (SYNC, ADDED):
        named = ((name, f"{NEW}.{quoting.identifier(name)}") for name, _ in added.values())
        columns.update({name: Values(None, value) for name, value in named})
    return columns


def differs(column: str, kind: str, other: str, remedy: str) -> str:
    """What is wrong with a column whose values have another type in the new rows."""
    return f"column {column}: is {kind} in the table and {other} in the new rows; {remedy}"


def _united(changes: str | None, kind: str, value: str, name: str, other: str) -> Values | None:
    """A column that both have, in the type that keeps all its values; None if there is none."""
    new = f"{NEW}.{quoting.identifier(name)}"
    if changes != SYNC and (same := aligned(new, other, kind)):
        return Values(value, same)
    if same := aligned(value, kind, other):
        return Values(same, new)
    return Values(value, new) if changes != SYNC and unite(kind, other) else None


def predicates(config: Mapping[str, Any]) -> tuple[str, ...]:
    """A list, or one by itself."""
    given = config.get("predicates") or config.get("incremental_predicates") or ()
    return (given,) if isinstance(given, str) else tuple(given)


def updated(node: str, config: Mapping[str, Any], columns: Iterable[str]) -> frozenset[str] | None:
    """What a merge sets, in lower case; a misspelt column would be kept, or set, silently."""
    known = frozenset(map(str.lower, columns))
    named, excluded = (
        frozenset(map(str.lower, quoting.names(config.get(key)))) for key in (UPDATED, EXCLUDED)
    )
    if unknown := ", ".join(sorted((named | excluded) - known)):
        raise ConfigurationError(node, [f"{UPDATED}, {EXCLUDED}: there is no column {unknown}"])
    return named or (known - excluded if excluded else None)
