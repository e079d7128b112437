"""What a hook is told of one publication, as a frozen value."""

import uuid
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime, timezone
from enum import Enum
from typing import Any

from ..context import SESSION_CATALOG, Atomicity, StagingContext, StagingPurpose, TableName
from ..errors import StagingError
from ..publish.staged_table import StagedTable
from ..publish.version import Outcome

Path = tuple[str, str, str]
"""Catalog, schema and table."""


class JobState(str, Enum):
    """Where a publication's job stands (Flink's ``JobStatusHook`` has the same four)."""

    CREATED = "created"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELED = "canceled"


@dataclass(frozen=True, slots=True)
class Column:
    """A column, with its type in Spark's words."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A table that a publication reads; columns and version are known of those of the same run."""

    path: Path
    columns: tuple[Column, ...] = ()
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An error by its stable name (docs/errors.md), or else by its class."""

    name: str
    message: str

    @classmethod
    def of(cls, error: BaseException, message: str = "") -> "Failure":
        """The error, or the one of ours that caused it."""
        ours = (one for one in (error.__cause__, error) if isinstance(one, StagingError))
        named = next((one.name for one in ours), type(error).__name__)
        return cls(named, message or str(error))


@dataclass(frozen=True, slots=True)
class PublicationEvent:
    """One moment of one publication. What is not known is None, or empty.

    ``publication`` is the same in the two events of one publication, and in no others. ``run_id``
    names the run (dbt's invocation) and ``node_id`` its node. ``asked`` is the level that the
    configuration names, ``level`` the one that is kept. ``seconds`` is the time since the node
    began. A publication that finished has an ``error`` if what followed its commit failed.
    """

    state: JobState
    path: Path
    run_id: str
    node_id: str
    publication: str = field(default_factory=lambda: str(uuid.uuid4()))
    at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    purpose: StagingPurpose | None = None
    asked: Atomicity | None = None
    level: Atomicity | None = None
    file_format: str | None = None
    outcome: Outcome | None = None
    version: str | None = None
    base_version: str | None = None
    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    seconds: float | None = None
    columns: tuple[Column, ...] = ()
    inputs: tuple[Dataset, ...] = ()
    error: Failure | None = None

    @property
    def table(self) -> str:
        """The path as Spark's statements name it."""
        catalog, schema, table = self.path
        return str(TableName(schema, table, catalog))

    def turned(self, state: JobState, **known: Any) -> "PublicationEvent":
        """The same publication at a later moment."""
        now: dict[str, Any] = {"state": state, "at": datetime.now(timezone.utc), **known}
        return replace(self, **now)

    def staged_as(self, staged: StagedTable[Any]) -> "PublicationEvent":
        """With what its staged table knows; a version is named once it may be the table's."""
        context, outcome = staged.context, staged.outcome
        event = replace(
            self,
            purpose=context.purpose,
            asked=context.atomicity,
            level=staged.level,
            file_format=format_of(context),
            outcome=outcome,
            base_version=staged.base.version,
        )
        if outcome not in (Outcome.COMMITTED, Outcome.UNKNOWN):
            return event
        wrote = staged.figures
        return replace(
            event, version=staged.version, rows=wrote.rows, bytes=wrote.bytes, files=wrote.files
        )

    def as_json(self) -> dict[str, Any]:
        """The event's fields as JSON has them: the time in ISO 8601, paths as lists."""
        plain = _plain(self)
        return {"state": plain.pop("state"), "at": plain.pop("at"), "table": self.table, **plain}


def format_of(context: StagingContext) -> str | None:
    """The table's format; None where nobody named one and its catalog has its own."""
    is_known = context.layout.format_given or context.target.catalog == SESSION_CATALOG
    return context.layout.file_format if is_known else None


def path_of(table: TableName) -> Path:
    """The three parts of a table's name."""
    return table.catalog, table.database, table.table


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    return value.isoformat(timespec="milliseconds") if isinstance(value, datetime) else value
