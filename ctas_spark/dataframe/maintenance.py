"""History, rollback, vacuum and recovery of one table, for code without a dbt project.

``path`` is as in ``save_as``. ``options`` are those of ``TableWriter.option`` that the table was
published with; only ``staging_schema``, ``versions_to_keep``, ``grace_period``,
``iceberg_catalogs`` and ``metastore_reads`` matter here. ``spark`` is the active session by
default.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from pyspark.errors import AnalysisException

from .. import quoting
from ..catalogs.kinds import ICEBERG
from ..context import DELTA
from ..engines.calls import condition
from ..errors import InvalidArgumentError, MetastoreError
from ..options import is_count, misfits, one_of
from ..publish.catalog import StagingCatalog
from ..publish.rollback import RolledBack
from ..retention.rules import Event, MovedMetastore, Sweep
from ..statement.tables import details
from .python_words import in_python_words
from .saving import in_a_thread
from .session_table import SessionTable, active, named

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
NOT_FOUND = "_NOT_FOUND"
"""The end of Spark's conditions for a table, a schema and a catalog that are not there."""
SHAPES = {
    "older_than": ("a number of seconds, such as 3600", is_count),
    "metastore": one_of(MovedMetastore),
}


def history(
    path: str, options: Mapping[str, Any] = NO_OPTIONS, *, spark: Any = None
) -> tuple[Event, ...]:
    """The publications that the table still knows, newest first; at most the last 40."""
    table = _table(spark, path, options)
    with _catalog(table) as catalog:
        return catalog.history(table.plan.context)


def rollback(
    path: str,
    version: str | None = None,
    options: Mapping[str, Any] = NO_OPTIONS,
    *,
    spark: Any = None,
) -> RolledBack:
    """Publish ``version`` again, or the one before the live one: one commit.

    Raises:
        NoSuchVersionError: there is none; it lists those that are kept.
        ConcurrentWriteError: another commit or a clean-up came first.
    """
    table = _table(spark, path, options)

    def restored() -> RolledBack:
        with _catalog(table) as catalog:
            return catalog.roll_back(table.plan.context, version)

    return in_a_thread(table.spark, restored, lambda: None)  # Ctrl-C waits for the commit


def vacuum(  # noqa: PLR0913 (the arguments of ctas_vacuum)
    path: str,
    options: Mapping[str, Any] = NO_OPTIONS,
    *,
    older_than: int | None = None,
    dry_run: bool = False,
    fence: bool = False,
    metastore: str | None = None,
    spark: Any = None,
) -> Sweep:
    """Delete the table's versions that nobody needs; what was freed, and why the rest was kept.

    Args:
        older_than: an age in seconds instead of both the grace period and the three days after
            which an unpublished version is old.
        dry_run: only say what would be deleted.
        fence: first give the table a new commit id, so that a paused writer's old version goes.
        metastore: ``same`` or ``clone``, if the metastore's address has changed.

    Raises:
        StorageError: a version could not be deleted; the others that may go are gone all the same.
    """
    asked = {"older_than": older_than, "metastore": metastore}
    if wrong := misfits(asked, SHAPES):
        said = "; ".join(wrong.values())
        raise InvalidArgumentError(f"vacuum can't be run: {said}", left="nothing was done")
    table = _table(spark, path, options)
    rules = table.plan.retention.of_vacuum(older_than=older_than, fence=fence, metastore=metastore)
    with _catalog(table) as catalog:
        swept = catalog.clean_up(table.plan.context, rules, dry_run=dry_run)
    swept.require_all()
    return swept


def recover(
    path: str, options: Mapping[str, Any] = NO_OPTIONS, *, spark: Any = None
) -> tuple[str, ...]:
    """Finish what a crash left half done of the table; what was done, in sentences."""
    table = _table(spark, path, options)
    with _catalog(table) as catalog:
        return catalog.recover(table.plan.context)


def _table(spark: Any, path: str, options: Mapping[str, Any]) -> SessionTable:
    session = active(spark)
    return SessionTable.of(session, path, {**_format(session, path), **options})


def _format(spark: Any, path: str) -> Mapping[str, str]:
    """That of a table which commits by itself, whose versions its own history knows."""
    try:
        table = quoting.table(named(spark, path))
        described = details(spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect())
    except AnalysisException as error:
        if condition(error).split(".")[0].endswith(NOT_FOUND):
            return NO_OPTIONS
        raise MetastoreError(
            f"could not look at {path}: {error}", left="nothing was done"
        ) from error
    provider = described.get("Provider", "").lower()
    return {"file_format": provider} if provider in (DELTA, ICEBERG) else NO_OPTIONS


@contextmanager
def _catalog(table: SessionTable) -> Iterator[StagingCatalog]:
    with in_python_words(), table.opened() as catalogs:
        yield catalogs.catalog_for(table.plan.context)
