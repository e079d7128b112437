"""A view that takes the place of a table or of another view: one alter of the entry.

Spark's CREATE OR REPLACE VIEW drops what is there and creates the view, so that readers find
nothing in between. Here Spark creates the view in the staging schema, and its entry then becomes
the target's. What dies before that leaves a view there, which goes when it is old.
"""

import logging
from dataclasses import dataclass

from ..clock import ORPHAN_AGE_MS
from ..context import DELTA, SESSION_CATALOG, TableName
from ..engines.explained import analyzed_plan
from ..errors import (
    ColumnsRefusedError,
    EntryModifiedError,
    MetastoreError,
    StagingError,
)
from ..metastore.client import EntryChange, MetastoreClient, TableEntry
from ..publish.marker import (
    COMMIT,
    PREFIX,
    VERSION_ID,
    new_version_id,
    record_prefix,
    started_ms,
    version_named,
)
from ..publish.version import Change
from . import record as records
from .base import FileBase, change_between
from .publication import moved_on
from .table import FileTable

logger = logging.getLogger(__name__)

VIEW = PREFIX + "view"
"""The property that names the publication of a view."""
INFIX = "view__"


@dataclass(frozen=True, slots=True)
class ViewChange:
    """One view to publish over what ``base`` holds; Spark creates it as ``staged`` first."""

    table: FileTable
    base: FileBase
    id: str

    @property
    def staged(self) -> TableName:
        """The name of the view until it is published."""
        return TableName(self._schema, f"{record_prefix(self.table.name)}{INFIX}{self.id}")

    @property
    def _schema(self) -> str:
        return self.table.context.staging_schema

    @property
    def _now_ms(self) -> int:
        return self.table.services.clock.wall_ms()

    def publish(self) -> None:
        """Make the staged view the target; its own entry is dropped then.

        Raises:
            StagingError: the view reads what it would replace; nothing was changed.
            RefusedError: another changed the target meanwhile.
            MetastoreError: the call failed, and may or may not have had its effect.
        """
        metastore = self.table.metastore
        entry = metastore.get_table(self.staged)
        if entry is None:
            raise MetastoreError(f"the view {self.staged} is gone")
        try:
            self._replace(entry)
        except MetastoreError:  # also one that refuses: a server may retry what has succeeded
            if not self._is_ours(metastore.get_table(self.table.name)):
                raise
        self.table.services.engine.refresh(self.table.name)

    def discard(self) -> None:
        """Drop the staged entry, and those that killed runs have left of this view; never raises.

        What can't be dropped now is dropped once it is old.
        """
        try:
            self.table.metastore.drop_entry(self.staged)
            of_this = f"{record_prefix(self.table.name)}{INFIX}"
            for name in left_views(self.table.metastore, self._schema, self._now_ms, of_this):
                self.table.metastore.drop_entry(name)
        except MetastoreError as error:
            logger.warning(
                "%s: the view %s could not be dropped: %s", self.table.name, self.staged, error
            )

    def _replace(self, entry: TableEntry) -> None:
        """Servers compare the types of a table's columns, by position, but not those of a view."""
        with self.table.services.lock.held(self.table.name):
            if not self.table.services.conditional:  # the metastore does not compare by itself
                change = change_between(self.base, self.table.look())
                if change not in (Change.NONE, Change.MAINTAINED):
                    raise EntryModifiedError(f"{self.table.name} has changed: {change.value}")
            alter, expected = self.table.metastore.alter_table, self.base.expectation
            try:
                alter(self._change(entry), expected)
            except ColumnsRefusedError:
                alter(self._change(entry, columns=()), expected)
                filled = self.table.look()
                if self._is_ours(filled.entry):
                    alter(self._change(entry, filled), filled.expectation)

    def _change(
        self, entry: TableEntry, over: FileBase | None = None, columns: tuple[()] | None = None
    ) -> EntryChange:
        """What a compare-and-swap expects gets a new value, as servers demand."""
        base = (over or self.base).entry
        changed = {VIEW: self.id, **moved_on(base, self._now_ms)}
        if self.base.marker is not None:
            changed[COMMIT] = f"{self.id}-columns" if over else self.id
        parameters = {**entry.parameters, **changed}
        return EntryChange(self.table.name, entry, base, parameters, columns=columns)

    def _is_ours(self, entry: TableEntry | None) -> bool:
        return entry is not None and entry.parameters.get(VIEW) == self.id


def left_views(
    metastore: MetastoreClient, schema: str, now_ms: int, prefix: str = ""
) -> tuple[TableName, ...]:
    """Views whose names begin so, which killed runs have left in a staging schema.

    Not the record of a table whose name ends like that of a staged view.
    """

    def is_old(name: TableName) -> bool:
        infix, id_ = name.table[: -len(version_named(name))], version_named(name)
        is_staged = infix.endswith(f"__{INFIX}") and VERSION_ID.fullmatch(id_)
        return bool(is_staged) and now_ms - started_ms(id_) > ORPHAN_AGE_MS

    old = [one for one in metastore.tables(schema, prefix) if is_old(one)]
    found = metastore.entries(old) if old else ()
    return tuple(one.name for one in found if one.is_view and records.RECORD not in one.parameters)


def all_left_views(metastore: MetastoreClient, schema: str, now_ms: int) -> tuple[TableName, ...]:
    """Those of every target; none in a schema that is not there."""
    is_there = metastore.database_location(schema) is not None
    return left_views(metastore, schema, now_ms) if is_there else ()


def view_change(table: FileTable) -> ViewChange | None:
    """The change to a target that one alter can make a view; None of any other.

    The files of a managed table would stay, an alter changes no partition keys, and a table of
    another format is more than its entry.
    """
    base = table.look()
    entry = base.entry
    if entry is None or entry.is_managed or entry.partition_keys:
        return None
    if entry.provider == DELTA or not base.can_be_replaced:
        return None
    return ViewChange(table, base, new_version_id(table.services.clock.wall_ms()))


def refuse_recursion(target: TableName, plan: str) -> None:
    """Refuse a view that reads what it would replace, by ``plan``, what EXPLAIN says of it.

    Raises:
        StagingError: it does, or EXPLAIN does not say all of the plan.
    """
    lines = analyzed_plan(plan, target).splitlines()
    read = {line.rpartition("SubqueryAlias ")[2].strip() for line in lines}
    if {str(target), f"{SESSION_CATALOG}.{target}"} & read:
        raise StagingError(
            "the view reads what it would replace",
            table=target,
            left="it is unchanged",
            remedy="give the view another name, or let it read something else",
        )
