"""Whether an Iceberg catalog that a user declares keeps what the publication of its tables needs.

A version is published by a commit that is conditional on the metadata that begin saw. Iceberg asks
that of every catalog; whether this one does it is tried on a scratch table.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.catalogs.kinds import DECLARED
from dbt.adapters.ctas_spark.staging.clock import SYSTEM_CLOCK, Clock
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import Statements
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    EntryModifiedError,
    MetastoreError,
    ProbeFailedError,
    StorageError,
)
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables
from dbt.adapters.ctas_spark.staging.publish.ddl import StagingNamespaces
from dbt.adapters.ctas_spark.staging.retention.rules import ORPHAN_AGE_MS
from dbt.adapters.ctas_spark.staging.statement.calls import core_errors
from dbt.adapters.ctas_spark.staging.storage.client import Storage
from dbt.adapters.ctas_spark.staging.version_id import VERSION_ID, new_version_id, started_ms

logger = logging.getLogger(__name__)

SCRATCH = "ctas_spark_probe__"
MAIN = "main"
SUCCEEDED = "a commit over another's, which came in between, succeeded"
CHANGED = "a commit over another's was refused, and changed the table all the same"
LOST = "a commit that nobody was in the way of is not what the table shows"
OUT_OF_REACH = (
    "its files, in {}, are not there for Hadoop's FileSystem, by which staged files are counted "
    "and removed; where they are on S3, set spark.hadoop.fs.s3.impl in spark_conf"
)


class Probe:
    """One declared catalog; its scratch table is gone afterwards, whatever comes.

    ``engine`` makes and drops it: with its files, which a fork of a target must never be.
    """

    def __init__(
        self,
        tables: IcebergTables,
        storage: Storage,
        engine: Statements,
        staging_schema: str,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._tables = tables
        self._storage = storage
        self._engine = engine
        self._schema = staging_schema
        self._clock = clock
        version = new_version_id(clock.wall_ms())
        self._name = TableName(staging_schema, f"{SCRATCH}{version}", tables.name)

    def run(self) -> None:
        """Return if the catalog refuses a commit over another's, and its files can be listed.

        Raises:
            AtomicityNotSupportedError: it does not; the error says what was seen.
            ProbeFailedError: it could not be found out.
            StagingSchemaError: there is no staging schema.
        """
        StagingNamespaces(self._tables, self._engine).ensure(self._schema)
        self._drop_old_ones()
        try:
            with core_errors("make the table"):
                self._engine.sql(f"CREATE TABLE {quoting.table(self._name)} (id INT) USING iceberg")
            seen = self._seen()
        except MetastoreError as error:
            raise self._not_found_out(error) from error
        finally:
            self._drop(self._name)
        if seen is not None:
            raise refusal(self._tables.name, f"a probe on a scratch table saw: {seen}")

    def _seen(self) -> str | None:
        """What contradicts the declaration; None if nothing does.

        The commits move ``main``, as a publication does: a REST server compares that, and no
        properties.
        """
        out_of_reach = self._out_of_reach()
        if out_of_reach is not None:
            return out_of_reach
        first = self._with_a_snapshot()
        stale = self._with_a_snapshot()
        theirs = self._with_a_snapshot()
        try:
            stale.move_main(first.main)
        except EntryModifiedError:
            if self._load().main != theirs.main:
                return CHANGED
        else:
            return SUCCEEDED
        theirs.move_main(first.main)
        return None if self._load().main == first.main else LOST

    def _out_of_reach(self) -> str | None:
        with core_errors("find the place of the table"):
            location = str(self._find().location())
        try:
            is_there = bool(self._storage.files(location))
        except StorageError as error:
            return f"{OUT_OF_REACH.format(location)} ({error.what})"
        return None if is_there else OUT_OF_REACH.format(location)

    def _with_a_snapshot(self) -> "Moment":
        with core_errors("commit a snapshot"):
            self._find().newFastAppend().commit()
        return self._load()

    def _load(self) -> "Moment":
        with core_errors("read the table"):
            return Moment.of(self._find(), self._tables.packages.org.apache.iceberg.TableMetadata)

    def _find(self) -> Any:
        found = self._tables.find(self._name)
        if found is None:
            raise MetastoreError("the table that was just made is not there")
        return found.java

    def _drop_old_ones(self) -> None:
        """Those of probes that were killed."""
        with suppress(MetastoreError):
            for name in self._tables.tables(self._schema):
                version = name.table.removeprefix(SCRATCH)
                is_one = name.table != version and VERSION_ID.fullmatch(version)
                if is_one and self._clock.wall_ms() - started_ms(version) > ORPHAN_AGE_MS:
                    self._drop(name)

    def _drop(self, name: TableName) -> None:
        try:
            with core_errors("drop the table"):
                self._engine.sql(f"DROP TABLE IF EXISTS {quoting.table(name)} PURGE")
        except MetastoreError as error:
            logger.warning("the probe's table %s stays for now: %s", name, error)

    def _not_found_out(self, error: MetastoreError) -> ProbeFailedError:
        return ProbeFailedError(
            f"a probe of the catalog {self._tables.name} could not find out whether it refuses a "
            f"commit over another's: {error}",
            table=self._name,
            left="no model of that catalog was started",
            remedy="see the error; if the catalog can't do what the probe does, no table can be "
            "published in it",
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """The scratch table as it was once loaded: what a commit of it is conditional on."""

    operations: Any
    metadata: Any
    main: int
    classes: Any

    @classmethod
    def of(cls, table: Any, classes: Any) -> "Moment":
        """A table of Iceberg's that was just loaded, and has a snapshot."""
        operations = table.operations()
        metadata = operations.current()
        return cls(operations, metadata, int(metadata.currentSnapshot().snapshotId()), classes)

    def move_main(self, snapshot: int) -> None:
        """Make another snapshot the table's, over what was loaded.

        Raises:
            EntryModifiedError: another commit came in between.
            MetastoreError: it failed otherwise.
        """
        with core_errors("commit over what was loaded"):
            builder = self.classes.buildFrom(self.metadata).setBranchSnapshot(snapshot, MAIN)
            self.operations.commit(self.metadata, builder.build())


def load(open_tables: Callable[[], IcebergTables], catalog: str) -> IcebergTables:
    """The tables of a declared catalog.

    Raises:
        AtomicityNotSupportedError: Iceberg's classes find no catalog of theirs behind its name.
    """
    try:
        return open_tables()
    except MetastoreError as error:
        raise refusal(catalog, f"{error}") from error


def refusal(catalog: str, why: str) -> AtomicityNotSupportedError:
    """The error for a declaration that is not so."""
    return AtomicityNotSupportedError(
        f"{DECLARED} in the profile names the catalog {catalog}, and nothing is published "
        f"atomically in it: {why}",
        left="no model of that catalog was started",
        remedy=f"remove {catalog} from {DECLARED}, and build tables in another catalog",
    )
