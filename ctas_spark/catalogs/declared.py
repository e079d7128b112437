"""Probe whether an Iceberg catalog that a user declares does what a publication needs.

A version is published by a commit that is conditional on the metadata that begin saw. Iceberg
demands that of every catalog; whether this one does it is tried on a scratch table.
"""

import logging
from contextlib import suppress

from pyspark.sql import SparkSession

from .. import quoting
from ..clock import ORPHAN_AGE_MS
from ..context import TableName
from ..engines.calls import core_errors
from ..errors import (
    AtomicityNotSupportedError,
    EntryModifiedError,
    MetastoreError,
    ProbeFailedError,
    StorageError,
)
from ..iceberg.facts import MAIN
from ..iceberg.loaded import LoadedTable
from ..iceberg.tables import IcebergServices, IcebergTables
from ..publish.ddl import StagingNamespaces
from ..publish.marker import VERSION_ID, new_version_id, started_ms
from .kinds import DECLARED

logger = logging.getLogger(__name__)

SCRATCH = "ctas_spark_probe__"
SUCCEEDED = "a commit succeeded although another had come in between"
CHANGED = "a commit over another was refused, but changed the table all the same"
OUT_OF_REACH = (
    "its files in {} can't be listed by the table's FileIO, which is needed to count and remove "
    "staged files"
)


class Probe:
    """The probe of one declared catalog; its scratch table is gone afterwards, whatever happens.

    The engine creates and drops it with its files, which must never happen to a fork.
    """

    def __init__(self, services: IcebergServices, staging_schema: str, target: TableName) -> None:
        self._tables = services.tables
        self._services = services
        self._schema = staging_schema
        self._target = target
        version = new_version_id(services.clock.wall_ms())
        self._name = TableName(staging_schema, f"{SCRATCH}{version}", services.tables.name)

    def run(self) -> None:
        """Return if the catalog refuses a commit over another's, and its files can be listed.

        Raises:
            AtomicityNotSupportedError: it does not; the error says what the probe saw.
            ProbeFailedError: it could not be found out.
            NoSuchSchemaError, StagingSchemaError: there is no place for tables or records.
        """
        engine = self._services.engine
        StagingNamespaces(self._tables, engine.sql).ensure(self._schema, self._target)
        self._drop_old_ones()
        try:
            with core_errors("make the table"):
                engine.sql(f"CREATE TABLE {quoting.table(self._name)} (id INT) USING iceberg")
            with core_errors("commit to it"):
                seen = self._out_of_reach() or self._seen()
        except MetastoreError as error:
            raise ProbeFailedError(
                f"a probe of the catalog {self._tables.name} could not find out whether it refuses "
                f"a commit over another's: {error}",
                table=self._name,
                left="no model of that catalog was started",
                remedy="see the error; if the catalog can't do what the probe does, no table can "
                "be published in it",
            ) from error
        finally:
            self._drop(self._name)
        if seen:
            raise refusal(self._tables.name, f"a probe on a scratch table saw: {seen}")

    def _seen(self) -> str:
        """What contradicts the declaration; empty if nothing does.

        The commits move ``main``, as a publication does: a REST server compares that, and no
        properties.
        """
        first, stale, theirs = (self._load().append_nothing({}) for _ in range(3))
        try:
            stale.commit(stale.builder().setBranchSnapshot(first.facts.main, MAIN).build())
        except EntryModifiedError:
            return "" if self._load().facts.main == theirs.facts.main else CHANGED
        return SUCCEEDED

    def _out_of_reach(self) -> str:
        table = self._load()
        location = table.facts.location
        try:
            found, why = table.storage.files(location), ""
        except StorageError as error:
            found, why = (), f" ({error.what})"
        return "" if found else f"{OUT_OF_REACH.format(location)}{why}"

    def _load(self) -> LoadedTable:
        found = self._tables.find(self._name)
        if found is None:
            raise MetastoreError("the table that was just made is not there")
        return found

    def _drop_old_ones(self) -> None:
        """Drop what killed probes left."""
        with suppress(MetastoreError):
            for name in self._tables.tables(self._schema):
                version = name.table.removeprefix(SCRATCH)
                is_one = name.table != version and VERSION_ID.fullmatch(version)
                now_ms = self._services.clock.wall_ms()
                if is_one and now_ms - started_ms(version) > ORPHAN_AGE_MS:
                    self._drop(name)

    def _drop(self, name: TableName) -> None:
        try:
            with core_errors("drop the table"):
                self._services.engine.sql(f"DROP TABLE IF EXISTS {quoting.table(name)} PURGE")
        except MetastoreError as error:
            self._drop_apart(name, error)

    def _drop_apart(self, name: TableName, refused: MetastoreError) -> None:
        """Drop the entry, then the directory: Nessie, whose branches share files, purges none."""
        try:
            table = self._tables.find(name)
            self._tables.drop_entry(name)
            if table is not None and name.table in table.facts.location:
                table.storage.delete(table.facts.location)
        except (MetastoreError, StorageError):
            logger.warning("the probe's table %s could not be dropped: %s", name, refused)


def load(spark: SparkSession, catalog: str) -> IcebergTables:
    """The tables of a declared catalog.

    Raises:
        AtomicityNotSupportedError: Iceberg's classes find no catalog of theirs behind its name.
    """
    try:
        return IcebergTables(spark, catalog)
    except MetastoreError as error:
        raise refusal(catalog, f"{error}") from error


def refusal(catalog: str, why: str) -> AtomicityNotSupportedError:
    """The error for a false declaration."""
    return AtomicityNotSupportedError(
        f"{DECLARED} in the profile names the catalog {catalog}, but nothing can be published "
        f"atomically in it: {why}",
        left="no model of that catalog was started",
        remedy=f"remove {catalog} from {DECLARED}, and build tables in another catalog",
    )
