"""The rows of one batch of a microbatch model: only these are replaced."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ctas_spark import quoting
from ctas_spark.errors import ConfigurationError

OLD, NEW = "DBT_INTERNAL_DEST", "DBT_INTERNAL_SOURCE"
"""The names by which dbt lets incremental_predicates call the table and the new rows."""
Side = tuple[str, Mapping[str, str]]
"""A table or view: its name in SQL, and its columns' types by name."""
UNITS = ("hour", "day", "month", "year")
"""dbt's sizes of batches, the shortest first."""
OF_TIME = re.compile(r"(year|month|day|hour|date|date_hour)s?\(([^,()]+)\)", re.IGNORECASE)
"""Iceberg's transforms of a timestamp, which are in UTC as dbt's batches are."""
TRANSFORM = re.compile(r".*\(.*\)", re.DOTALL)
SAME_AS = {"date": "day", "date_hour": "hour"}
INSTANT = timedelta(microseconds=1)
HOLDS_OTHERS = "__ctas_spark_holds_others"
OUTSIDE = (
    "microbatch: the model's query returned a row whose {} is NULL or outside the batch from {} to "
    "{} (UTC); the next run of that batch would not replace it"
)
SHARED = (
    "a partition ({partitions}) with rows of the batch from {start} to {end} (UTC) also holds rows "
    "of other batches, which would be lost if it was replaced. Batches begin and end in UTC, even "
    "if spark.sql.session.timeZone is another zone. Partition by the UTC {size} of "
    "{event_time}, such as date_trunc({size_text}, to_utc_timestamp({event_time}, "
    "current_timezone())), or {size}s({event_time}) in Iceberg; or use atomicity: atomic for a "
    "table of files, or file_format: delta, where only the rows of the batch are replaced"
)


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch from ``start``, and before ``end``, as dbt writes them in the filters of inputs."""

    event_time: str
    size: str
    start: str
    end: str

    @classmethod
    def of(cls, node: Any) -> "Batch | None":
        """The batch that a node runs; None if it is not run in batches."""
        batch, event_time = getattr(node, "batch", None), node.config.get("event_time")
        if batch is None or not event_time:
            return None
        size = str(getattr(node.config.get("batch_size"), "value", node.config.get("batch_size")))
        start, end = str(batch.event_time_start), str(batch.event_time_end)
        return cls(quoting.unquoted(event_time), size, start, end)

    def check(self, node: str, *sides: tuple[str, Side]) -> None:
        """Return if the table and the model's rows, each with its name, have the event_time.

        Raises:
            ConfigurationError: one of them lacks it.
        """
        problems = [
            f"event_time: there is no column {self.event_time} in {where}, by which microbatch "
            f"finds the rows of a batch"
            for where, (_, columns) in sides
            if self.event_time.lower() not in map(str.lower, columns)
        ]
        if problems:
            raise ConfigurationError(node, problems)

    def has(self, side: str = "") -> str:
        """SQL that is true for a row of the batch, with the comparisons of dbt's own filters."""
        at = f"{side}{'.' if side else ''}{quoting.identifier(self.event_time)}"
        start, end = quoting.string(self.start), quoting.string(self.end)
        return f"{at} >= {start} AND {at} < {end}"

    def guarded(self, values: Mapping[str, str | None], more: str = "") -> dict[str, str | None]:
        """The values of a new row, which fail for one outside the batch; ``more`` are cases."""
        error = quoting.string(OUTSIDE.format(self.event_time, self.start, self.end))
        outside = f"WHEN NOT coalesce({self.has(NEW)}, FALSE) THEN raise_error({error})"
        return {
            name: f"CASE {more}{outside} ELSE {value} END"
            if name.lower() == self.event_time.lower()
            else value
            for name, value in values.items()
        }

    def only(self, query: str, columns: Iterable[str]) -> str:
        """Select the rows of a query, which fail where one is outside the batch."""
        values = {name: f"{NEW}.{quoting.identifier(name)}" for name in columns}
        guarded = self.guarded(values).items()
        named = (f"{value} AS {quoting.identifier(name)}" for name, value in guarded)
        return f"SELECT {', '.join(named)} FROM ({query}\n) AS {NEW}"  # noqa: S608 (quoted)

    def shared(self, columns: Iterable[str]) -> str:
        """The case of a row in whose partition, by these columns, are rows of other batches."""
        error = f"microbatch: {self.sharing(columns)}"
        return f"WHEN {OLD}.{HOLDS_OTHERS} THEN raise_error({quoting.string(error)}) "

    def sharing(self, columns: Iterable[str]) -> str:
        """What is wrong with a partition, by these columns, that has rows of other batches."""
        return SHARED.format(
            partitions=", ".join(columns),
            start=self.start,
            end=self.end,
            size=self.size,
            size_text=f"'{self.size}'",
            event_time=self.event_time,
        )

    @property
    def edges(self) -> list[datetime]:
        """The last instant before the batch and its first; its last and the first after it.

        Of the last batch, which dbt ends where the run's time ends, those of the whole one: a later
        run replaces all of that.
        """
        start = datetime.fromisoformat(self.start)
        end = _next(start, self.size)
        return [start - INSTANT, start, end - INSTANT, end]

    def with_partitions(
        self, table: str, values: Mapping[str, str], *, are_directories: bool
    ) -> str:
        """The join of new rows with what the partitions of the table hold besides the batch.

        ``values`` are the partition's in a new row, as SQL. One value for each partition: the new
        rows are still read once.
        """

        def part(value: str) -> str:
            return directory(value) if are_directories else value

        old = {name: part(quoting.identifier(name)) for name in values}
        same = (f"{OLD}.{quoting.identifier(name)} <=> {part(one)}" for name, one in values.items())
        others = f"bool_or(NOT coalesce({self.has()}, FALSE)) AS {HOLDS_OTHERS}"
        named = ", ".join(f"{one} AS {quoting.identifier(name)}" for name, one in old.items())
        return (
            f"LEFT JOIN (SELECT {named}, {others} FROM {table} GROUP BY {', '.join(old.values())}) "  # noqa: S608 (quoted)
            f"AS {OLD} ON {' AND '.join(same)}"
        )


def directory(value: str) -> str:
    """What tells one partition of a table of files from another: the name of its directory.

    An empty text and NULL have one.
    """
    return f"nullif({text_of(value)}, '')"


def text_of(value: str) -> str:
    """The text of a value in the name of a directory.

    It has no offset: the hour that a change of the clocks repeats is one text.
    """
    return f"CAST({value} AS STRING)"


def _next(start: datetime, size: str) -> datetime:
    """The start of the batch after one."""
    if size == "year":
        return start.replace(year=start.year + 1)
    if size == "month":
        return (start.replace(day=1) + timedelta(days=32)).replace(day=1)
    return start + (timedelta(hours=1) if size == "hour" else timedelta(days=1))


def columns_of(partition_by: Any) -> list[str]:
    """The partition columns that are no transforms."""
    named = (one for one in listed(partition_by) if not TRANSFORM.fullmatch(one))
    return [quoting.unquoted(one) for one in named]


def overwritten(config: Mapping[str, Any], batch: Batch) -> Any:
    """The partitions that the batches of a new table overwrite; None if they replace rows."""
    partition_by, file_format = config.get("partition_by"), str(config.get("file_format")).lower()
    is_version = config.get("atomicity") in ("atomic", "isolated") and file_format != "iceberg"
    is_safe = is_version or is_within(partition_by, batch.event_time, batch.size)
    return None if is_safe or file_format == "delta" else partition_by


def is_within(partition_by: Any, event_time: str, size: str) -> bool:
    """Whether Iceberg's transforms of event_time keep each partition within one batch."""
    within = UNITS[: UNITS.index(size) + 1] if size in UNITS else ()
    found = (OF_TIME.fullmatch(one.strip()) for one in listed(partition_by))
    units = (
        SAME_AS.get(one[1].lower(), one[1].lower())
        for one in found
        if one and quoting.unquoted(one[2]).lower() == quoting.unquoted(event_time).lower()
    )
    return any(unit in within for unit in units)


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the partitions of a microbatch model on Iceberg."""
    event_time, partition_by = config.get("event_time"), config.get("partition_by")
    size = str(getattr(config.get("batch_size"), "value", config.get("batch_size")))
    if not event_time or not partition_by or size not in UNITS:
        return
    if not is_within(partition_by, event_time, size) and not columns_of(partition_by):
        yield (
            f"partition_by: each partition may hold rows of several batches of one {size}, and "
            f"replacing one batch would lose the rows of the others; write {size}s({event_time})"
        )


def listed(partition_by: Any) -> list[str]:
    """The names and transforms of a config; a comma in brackets separates nothing."""
    if isinstance(partition_by, str):
        return [one.strip() for one in re.findall(r"(?:[^,(]|\([^)]*\))+", partition_by)]
    return [str(one) for one in partition_by or ()]
