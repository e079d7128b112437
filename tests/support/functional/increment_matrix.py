"""Each strategy, change of columns and contract: a dbt project, and what its tables are to hold.

What is expected is a model in plain Python, written from dbt's documentation and from
docs/incremental.md: it shares nothing with the adapter. The first run has the rows 1 and 2, the
second the rows 2 and 3, each of a day of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import product

from functional.dbt_project import Project, Run


class Strategy(str, Enum):
    """How the rows of the second run are added."""

    APPEND = "append"
    INSERT_OVERWRITE = "insert_overwrite"
    MERGE = "merge"
    DELETE_INSERT = "delete+insert"
    MICROBATCH = "microbatch"
    CHECK = "check"
    TIMESTAMP = "timestamp"

    @property
    def is_snapshot(self) -> bool:
        """Whether it is one of a snapshot."""
        return self in (Strategy.CHECK, Strategy.TIMESTAMP)


class Change(str, Enum):
    """How the columns of the second run differ from the table's."""

    NONE = "none"
    NEW = "new column"
    REMOVED = "removed column"
    ORDER = "other order"
    CASE = "other case"
    NESTED = "nested order"
    WIDER = "wider type"
    NARROWER = "narrower type"


Row = dict[str, object]
REFUSED = "refused"
KEEPS_CONTRACT = (Change.NONE, Change.ORDER, Change.CASE)
"""Others break it: dbt compares types as texts."""
N = {Change.WIDER: 5_000_000_000, Change.NARROWER: 3.7}
"""What the column ``n``, an int, holds in the second run."""
COLUMNS = {
    "id": "{id} as id",
    "n": "{n} as n",
    "s": "struct(1 as a, 2 as b) as s",
    "m": "map('k', {id}) as m",
    "v": "'{v}' as v",
    "p": "date '2026-01-0{id}' as p",
    "at": "timestamp '2026-01-0{id} 12:00:00' as at",
}
CONTRACT = (
    "id: int, n: int, s: struct<a:int|b:int>, m: map<string|int>, v: string, p: date, at: timestamp"
)
DAYS = (("2026-01-01", "2026-01-04"), ("2026-01-02", "2026-01-04"))
"""From when to when the batches of each run are."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A model, and its format: ``parquet``, ``iceberg`` or ``delta``."""

    file_format: str
    strategy: Strategy
    change: Change
    has_contract: bool = False

    @property
    def name(self) -> str:
        """The model's."""
        said = f"{self.strategy.value}_{self.change.value}{'_contract' * self.has_contract}"
        return said.replace("+", "_").replace(" ", "_")

    @property
    def is_version(self) -> bool:
        """Whether the second run publishes the whole table: its columns may then change."""
        in_place = (Strategy.APPEND, Strategy.INSERT_OVERWRITE, Strategy.MICROBATCH)
        return self.file_format == "parquet" and self.strategy not in in_place

    def rows(self, run: int) -> list[Row]:
        """Those that the model's query has in a run."""
        if run == 0:
            return [self._row(key, 10 * key, "old") for key in (1, 2)]
        n = N.get(self.change)
        return [self._row(key, n or 10 * key, "new") for key in (2, 3)]

    def _row(self, key: int, n: float, v: str) -> Row:
        is_gone = v == "new" and self.change is Change.REMOVED
        has_extra = v == "new" and self.change is Change.NEW
        row: Row = {"id": key, "n": None if is_gone else n, "a": 1, "b": 2, "v": v}
        return {**row, "extra": "e" if has_extra else None}

    def expected(self) -> list[Row] | str:
        """The rows of the table after both runs, or that the second is refused."""
        if self.has_contract and self.change not in KEEPS_CONTRACT:
            return REFUSED
        if self.change in N and not self.is_version:
            return REFUSED
        return sorted(self._together(), key=lambda row: (int(str(row["id"])), str(row["v"])))

    def _together(self) -> list[Row]:
        old, new = self.rows(0), self.rows(1)
        if self.strategy is Strategy.APPEND or self.strategy.is_snapshot:
            return [*old, *new]
        kept = [row for row in old if row["id"] not in {one["id"] for one in new}]
        if self.strategy is Strategy.MERGE and self.change is Change.REMOVED:
            before = {row["id"]: row["n"] for row in old}
            new = [{**row, "n": before.get(row["id"])} for row in new]
        return [*kept, *new]


def cells(
    file_format: str,
    strategies: tuple[Strategy, ...] = tuple(Strategy),
    changes: tuple[Change, ...] = tuple(Change),
) -> Iterator[Cell]:
    """Those that there are: Delta and Iceberg have no delete+insert, snapshots no contract."""
    for strategy, change, has_contract in product(strategies, changes, (False, True)):
        lacks_it = strategy is Strategy.DELETE_INSERT and file_format != "parquet"
        if not lacks_it and not (has_contract and strategy.is_snapshot):
            yield Cell(file_format, strategy, change, has_contract)


def select(cell: Cell, run: int) -> str:
    """The query of a run."""
    columns = dict(COLUMNS)
    if run == 1:
        columns = _changed(cell.change, columns)
    listed = ", ".join(columns.values())
    rows = (listed.format(id=row["id"], n=row["n"], v=row["v"]) for row in cell.rows(run))
    return " union all ".join(f"select {row}" for row in rows)


def _changed(change: Change, columns: dict[str, str]) -> dict[str, str]:
    if change is Change.NEW:
        return {"extra": "'e' as extra", **columns}
    if change is Change.REMOVED:
        return {name: one for name, one in columns.items() if name != "n"}
    if change is Change.ORDER:
        return dict(reversed(columns.items()))
    if change is Change.CASE:
        return {name: f"{one[: -len(name)]}{name.upper()}" for name, one in columns.items()}
    if change is Change.NESTED:
        return {**columns, "s": "struct(2 as b, 1 as a) as s"}
    return columns


@dataclass(frozen=True, slots=True)
class Files:
    """The project of some cells at a run."""

    cells: tuple[Cell, ...]
    run: int

    def all(self) -> dict[str, str]:
        """By their paths."""
        return dict(file for cell in self.cells for file in self._of(cell))

    def _of(self, cell: Cell) -> Iterator[tuple[str, str]]:
        query, name = select(cell, self.run), cell.name
        if cell.strategy.is_snapshot:
            how = (
                "strategy: check, check_cols: [V]"
                if cell.strategy is Strategy.CHECK
                else "strategy: timestamp, updated_at: at_of_row"
            )
            timed = f"select *, timestamp '2026-02-0{self.run + 1}' as at_of_row from ({query})"
            yield f"models/{name}_rows.sql", f"{{{{ config(materialized='view') }}}} {timed}"
            yield (
                f"snapshots/{name}.yml",
                (
                    f"snapshots: [{{name: {name}, relation: ref('{name}_rows'), config: "
                    f"{{unique_key: ID, file_format: {cell.file_format}, {how}}}}}]"
                ),
            )
            return
        yield f"models/{name}.sql", f"{{{{ config({self._config(cell)}) }}}} {self._rows(cell)}"
        if cell.has_contract:
            columns = (one.split(": ") for one in CONTRACT.split(", "))
            listed = ", ".join(
                f"{{name: {column}, data_type: '{kind.replace('|', ',')}'}}"
                for column, kind in columns
            )
            yield (
                f"models/{name}.yml",
                (
                    f"models: [{{name: {name}, config: {{contract: {{enforced: true}}}}, "
                    f"columns: [{listed}]}}]"
                ),
            )

    def _rows(self, cell: Cell) -> str:
        query = select(cell, self.run)
        if cell.strategy is not Strategy.MICROBATCH:
            return query
        batch = (
            "at >= '{{ model.batch.event_time_start }}' and at < '{{ model.batch.event_time_end }}'"
        )
        return f"select * from ({query}) {{% if model.batch %}} where {batch} {{% endif %}}"

    @staticmethod
    def _config(cell: Cell) -> str:
        strategy = cell.strategy
        said = [
            "materialized='incremental'",
            f"file_format='{cell.file_format}'",
            f"incremental_strategy='{strategy.value}'",
            "on_schema_change='append_new_columns'",
        ]
        if strategy in (Strategy.MERGE, Strategy.DELETE_INSERT):
            said.append("unique_key='ID'")
        if strategy in (Strategy.INSERT_OVERWRITE, Strategy.MICROBATCH):
            said.append("partition_by='p'")
        if strategy is Strategy.MICROBATCH:
            said.append("event_time='at', batch_size='day', begin='2026-01-01'")
        return ", ".join(said)


def difference(project: Project, cell: Cell, second: Run) -> str:
    """What is wrong with a cell's table after its second run; an empty text if nothing is."""
    table = f"{project.schema}.{cell.name}"
    has_extra = "extra" in (row[0] for row in project.rows(f"describe {table}"))
    extra = "extra" if has_extra else "cast(null as string) as extra"
    columns = f"id, cast(n as double) as n, s.a, s.b, v, {extra}"
    found = [row.asDict() for row in project.rows(f"select {columns} from {table} order by id, v")]
    expected, has_failed = cell.expected(), second.results[cell.name]["status"] != "success"
    if (expected == REFUSED) is not has_failed:
        said = second.message(cell.name)
        return f"expected {'a refusal' if expected == REFUSED else 'rows'}: {said}"
    rows = cell.rows(0) if expected == REFUSED else expected
    return "" if found == rows else f"expected {rows}, found {found}"


def differences(project: Project, cells: tuple[Cell, ...]) -> dict[Cell, str]:
    """Build all cells twice, and compare each table with what it is to hold."""
    for run, (start, end) in enumerate(DAYS):
        project.write(Files(cells, run).all())
        built = project.dbt("build", f"--event-time-start={start}", f"--event-time-end={end}")
        assert built.success or run == 1, built.log
    return {cell: difference(project, cell, built) for cell in cells}
