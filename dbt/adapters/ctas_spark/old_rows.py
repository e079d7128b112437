"""A table's old rows and the new ones, which replace some of them, as one query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ctas_spark.increments import (
    APPEND,
    BY_PARTITION,
    DELETE_INSERT,
    EXCLUDED,
    MERGE,
    UPDATED,
    strategy_of,
)
from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.errors import ConfigurationError
from dbt.adapters.ctas_spark.type_changes import holds, unite

SYNC, ADDED, STRING = "sync_all_columns", "append_new_columns", "string"
OLD, NEW = "DBT_INTERNAL_DEST", "DBT_INTERNAL_SOURCE"
"""The names by which dbt lets incremental_predicates call the table and the new rows."""
IS_NEW, SAME_KEY = "__ctas_spark_is_new", "__ctas_spark_same_key"
SAID = "__ctas_spark_predicates"
TWICE = "incremental_strategy merge: several new rows match one row of the table by "
REMEDY = "cast it in the model, or run it with --full-refresh"

Side = tuple[str, Mapping[str, str]]
"""A table or view: its name in SQL, and its columns' types by name."""


@dataclass(frozen=True, slots=True)
class Increment:
    """The old rows and the new ones; ``old`` and ``new`` are names as SQL.

    ``columns`` are those of the version to publish, each with what the old rows have there, as
    SQL. ``keys`` are the partition columns of a strategy by partition, or else the unique key;
    those in ``texts`` are strings. ``updated`` are the columns, in lower case, that a merge sets in
    a row that it finds; None means all.
    """

    old: str
    new: str
    columns: Mapping[str, str]
    keys: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    updated: frozenset[str] | None = None
    absent: frozenset[str] = frozenset()
    """Columns, in lower case, that the new rows lack."""
    predicates: tuple[str, ...] = ()

    def query(self, strategy: str) -> str:
        """Select what the table is to hold."""
        if strategy in BY_PARTITION:
            # an empty text and NULL are one partition
            return self._with_others(strategy, [self._partition(key) for key in self.keys])
        if not self.keys or strategy == APPEND:
            return self._together(f"SELECT {self._of_old} FROM {self.old} AS {OLD}")  # noqa: S608 (quoted)
        if strategy == MERGE:
            return self._merged()
        return self._with_others(strategy, [self._same(key) for key in self.keys])

    def _with_others(self, strategy: str, matches: Sequence[str]) -> str:
        """The new rows, and the old ones that none of them matches."""
        if not matches:
            return self._select_new
        keys, old, conditions = quoting.identifiers(self.keys), self.old, [*matches]
        if self.predicates and strategy not in BY_PARTITION:
            # they are of the table's rows: in a join, a column's bare name would be of both sides
            said = " AND ".join(f"({one})" for one in self.predicates)
            old = f"(SELECT *, {said} AS {SAID} FROM {self.old} AS {OLD})"  # noqa: S608 (quoted)
            conditions.append(f"{OLD}.{SAID}")
        return self._together(
            f"SELECT {self._of_old} FROM {old} AS {OLD} "  # noqa: S608 (quoted)
            f"LEFT ANTI JOIN (SELECT DISTINCT {keys} FROM {self.new}) AS {NEW} "
            f"ON {' AND '.join(conditions)}"
        )

    def _merged(self) -> str:
        """One full join, so that the model's query is computed once."""
        keys = quoting.identifiers(self.keys)
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
        name, old = quoting.identifier(column), self.columns[column]
        is_found, is_new = f"{OLD}.{IS_NEW} IS NOT NULL", f"{NEW}.{IS_NEW} IS NOT NULL"
        cases = ""
        if column == next(iter(self.columns)):
            told = quoting.string(TWICE + ", ".join(self.keys))
            both = f"{is_found} AND {is_new} AND {NEW}.{SAME_KEY} > 1"
            cases = f"WHEN {both} THEN raise_error({told}) "
        is_kept = self.updated is not None and column.lower() not in self.updated
        if is_kept or column.lower() in self.absent:
            cases += f"WHEN {is_found} THEN {old} "
        new = "NULL" if column.lower() in self.absent else f"{NEW}.{name}"
        return f"CASE {cases}WHEN {is_new} THEN {new} ELSE {old} END AS {name}"

    def _together(self, old_rows: str) -> str:
        return f"{old_rows} UNION ALL {self._select_new}"

    @property
    def _select_new(self) -> str:
        names = ((name.lower(), quoting.identifier(name)) for name in self.columns)
        new = ", ".join(f"NULL AS {name}" if key in self.absent else name for key, name in names)
        return f"SELECT {new} FROM {self.new}"  # noqa: S608 (quoted)

    @property
    def _of_old(self) -> str:
        return ", ".join(
            f"{old} AS {quoting.identifier(name)}" for name, old in self.columns.items()
        )

    def _same(self, key: str) -> str:
        name = quoting.identifier(key)
        return f"{OLD}.{name} = {NEW}.{name}"

    def _partition(self, key: str) -> str:
        sides = [f"{side}.{quoting.identifier(key)}" for side in (OLD, NEW)]
        if key.lower() in self.texts:
            sides = [f"nullif({side}, '')" for side in sides]
        return " <=> ".join(sides)


def with_new(node: str, config: Mapping[str, Any], old: Side, new: Side) -> str:
    """Select what the table is to hold, as the model's configs say.

    Raises:
        ConfigurationError: as ``of_both``; or the configs name a column that there is not.
    """
    strategy, changes = strategy_of(config), config.get("on_schema_change")
    if strategy in (MERGE, DELETE_INSERT):
        check_key(node, config, old, new)
    columns = of_both(node, changes, old, new, REMEDY)
    found = Increment(
        old[0],
        new[0],
        columns,
        keys=quoting.names(
            config.get("partition_by" if strategy in BY_PARTITION else "unique_key")
        ),
        texts=frozenset(name.lower() for name, kind in old[1].items() if kind == STRING),
        updated=_updated(node, config, columns),
        absent=_absent(old[1], new[1]) if changes == ADDED else frozenset(),
        predicates=_predicates(config),
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


def of_both(node: str, changes: str | None, old: Side, new: Side, remedy: str) -> dict[str, str]:
    """The columns of a version of old and new rows, each with what the old ones have there, as SQL.

    ``changes`` is an ``on_schema_change``.

    Raises:
        ConfigurationError: a column's old or new values would not survive its change of type.
    """
    types = {name.lower(): kind for name, kind in new[1].items()}
    columns, differing = dict[str, str](), list[str]()
    for name, kind in old[1].items():
        value, other = f"{OLD}.{quoting.identifier(name)}", types.pop(name.lower(), None)
        if changes == SYNC and other is None:
            continue
        if other is not None and not (
            holds(other, kind) if changes == SYNC else unite(kind, other)
        ):
            differing.append(f"column {name}: is {kind} in the table and {other} in the new rows")
        if changes == SYNC and other != kind:
            value = f"CAST({value} AS {other})"
        columns[name] = value
    if differing:
        raise ConfigurationError(node, [f"{one}; {remedy}" for one in differing])
    if changes in (SYNC, ADDED):
        columns.update({name: "NULL" for name in new[1] if name.lower() in types})
    return columns


def _predicates(config: Mapping[str, Any]) -> tuple[str, ...]:
    """A list, or one by itself."""
    given = config.get("predicates") or config.get("incremental_predicates") or ()
    return (given,) if isinstance(given, str) else tuple(given)


def _absent(old: Iterable[str], new: Iterable[str]) -> frozenset[str]:
    return frozenset(map(str.lower, old)) - frozenset(map(str.lower, new))


def _updated(node: str, config: Mapping[str, Any], columns: Iterable[str]) -> frozenset[str] | None:
    """What a merge sets, in lower case; a misspelt column would be kept, or set, silently."""
    known = frozenset(map(str.lower, columns))
    named, excluded = (
        frozenset(map(str.lower, quoting.names(config.get(key)))) for key in (UPDATED, EXCLUDED)
    )
    if unknown := ", ".join(sorted((named | excluded) - known)):
        raise ConfigurationError(node, [f"{UPDATED}, {EXCLUDED}: there is no column {unknown}"])
    return named or (known - excluded if excluded else None)
