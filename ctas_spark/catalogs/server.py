"""The catalogs of a session without a JVM.

Iceberg's and Delta's tables are committed by a SQL statement. What the formats' own conditional
commits reach is ``isolated``; a native CREATE or REPLACE TABLE reaches ``atomic``. Tables of files
are those of a session in this process: the server stages them, and the metastore is called from
here.
"""

import hashlib
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from ..clock import ORPHAN_AGE_MS, SYSTEM_CLOCK, Clock
from ..context import SESSION_CATALOG, StagingContext, TableLayout, TableName
from ..database.catalog import DatabaseCatalog, open_database
from ..engines import commands
from ..engines.calls import refresh
from ..engines.remote import ServerEngine
from ..errors import (
    AtomicityNotSupportedError,
    NoSuchSchemaError,
    ProfileError,
    StagingError,
)
from ..files.catalog import SessionCatalog
from ..files.schema import Find, comment
from ..metastore.client import TableEntry
from ..publish import messages
from ..publish.catalog import StagingCatalog
from ..publish.marker import PREFIX
from ..statement.catalog import StatementCatalog
from ..statement.tables import FORMATS, SqlTables, asking
from ..storage.sql import SqlStorage
from . import server_metastore, settings
from .kinds import (
    CATALOG_OF_DATABASES,
    DECLARED,
    ICEBERGS,
    REACH_NOTHING,
    Catalogs,
    Kind,
    implementation_of,
)
from .levels import OVER, over_a_server
from .server_metastore import METASTORE, MetastoreAddress
from .settings import SETTINGS, SessionFacts

if TYPE_CHECKING:
    from ..metastore.connections import ThriftMetastore

logger = logging.getLogger(__name__)

NO_GRANT = "INVALID_STATEMENT_OR_CLAUSE"
CONNECT, THRIFT = OVER["connect"], OVER["thrift"]
FILES_REFUSED = "publishing it takes a call of the metastore, whose address the profile lacks"
OLDEST, OPTIONS_SINCE = (3, 5), (4, 0)
"""Of Spark: the oldest that was tried, and that in which a query can have a source's options."""
UNKNOWN_REFUSED = "a probe of it would call the catalog through the driver's JVM"
UNDECLARED = "a catalog that is neither known nor declared to be Iceberg's"
REFUSED = (
    (f"a table of files, without `{METASTORE}` in the profile", FILES_REFUSED),
    (UNDECLARED, UNKNOWN_REFUSED),
)


class CatalogsWithoutJvm(Catalogs):
    """The catalogs of a server; ``over`` names the connection to it in messages.

    ``iceberg_catalogs`` are those that the user declares to be Iceberg's, by name. They are not
    probed: no SQL holds a stale commit against a catalog. Without ``metastore`` there are no tables
    of files.
    """

    def __init__(
        self,
        spark: Any,
        over: str,
        iceberg_catalogs: Sequence[str] = (),
        metastore: MetastoreAddress | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        super().__init__(spark)
        self.over = over
        self._declared = frozenset(iceberg_catalogs)
        self._address = metastore
        self._clock = clock
        self._metastore: ThriftMetastore | None = None
        self._files: SessionCatalog | None = None
        self._has_swept = False

    @property
    def has_files(self) -> bool:
        return self._address is not None

    @property
    def catalog(self) -> SessionCatalog:
        if self._address is None:
            raise AtomicityNotSupportedError(
                FILES_REFUSED, remedy=server_metastore.line_of_profile(self._spark)
            )
        with self._guard:
            if self._files is None:
                by_views = self._release < OPTIONS_SINCE
                self._metastore = server_metastore.connected(self._address)
                self._files = SessionCatalog(
                    self._metastore,
                    SqlStorage(asking(self._spark), self._delete, by_views=by_views),
                    ServerEngine(self._spark),
                    locks=self._metastore,
                    address=self._address.uris,
                    clock=self._clock,
                    repeatable_reads=self._address.repeatable_reads,
                )
            return self._files

    def entries_in(self, schema: str) -> Sequence[TableEntry]:
        if not self.has_files:
            return ()
        try:
            return self.catalog.entries_in(schema)
        except StagingError as error:
            logger.warning("%s is listed by SQL, which takes longer: %s", schema, error.what)
            return ()

    def forget_cached(self, table: TableName) -> None:
        refresh(ServerEngine(self._spark), table)

    def comment(self, staged: TableName, find: Find) -> tuple[str, ...]:
        partition_columns = comment(self.catalog.services(staged.database).entries, staged, find)
        self.forget_cached(staged)
        return partition_columns

    def close(self) -> None:
        with self._guard:
            super().close()
            metastore, self._metastore, self._files = self._metastore, None, None
        if metastore is not None:
            metastore.close()

    def report(self, any_table: StagingContext) -> Iterator[str]:
        yield f"spark: {self._spark.version} ({self.over})"
        name = any_table.target.catalog
        implementation = implementation_of(self._spark, name) or "Spark's own"
        yield f"catalog: {name}, {implementation}"
        yield f"metastore: {server_metastore.described(self._spark, self._address)}"
        if self.has_files:
            self._check_profile(any_table)
        for file_format in (*FORMATS, "parquet"):
            context = replace(any_table, layout=TableLayout(file_format))
            yield f"atomicity of {file_format}: {self._reached(context)}"

    def _check_profile(self, any_table: StagingContext) -> None:
        """Return unless the profile's metastore is wrong, which fails ``dbt debug``."""
        of_files = replace(any_table.target, catalog=SESSION_CATALOG)
        try:
            self._check_metastore(replace(any_table, target=of_files))
            self._try_rights(any_table)
        except ProfileError as error:
            error.table, error.left = None, messages.UNTOUCHED
            raise
        except (NoSuchSchemaError, AtomicityNotSupportedError) as error:
            # the first model makes the schema; what can't be published there is said for each level
            logger.debug("%s was not tried: %s", METASTORE, error.what)

    @cached_property
    def _facts(self) -> SessionFacts:
        """The jars are taken to be there: the first statement fails if they are not."""
        extensions = self._spark.conf.get(settings.EXTENSIONS, "") or ""
        return SessionFacts(
            self._spark.version,
            extensions,
            has_iceberg=True,
            has_delta=True,
            declared=self._declared,
        )

    @cached_property
    def lacks_grants(self) -> bool:
        """Send half a GRANT, which nothing can execute; an unknown extension may have a whole one.

        Spark's own parser knows the word, and refuses whatever follows it.
        """
        extensions = {one.strip() for one in self._facts.extensions.split(",")}
        if extensions - {"", settings.EXTENSION_OF_DELTA, settings.EXTENSION_OF_ICEBERG}:
            return False
        try:
            self._spark.sql("GRANT")
        except PySparkException as error:
            return error.getCondition() == NO_GRANT
        return False

    def _counted_tables(self, sql: str) -> tuple[TableName, ...]:
        return commands.counted_by_words(self._spark, sql) if self.has_files else ()

    def _choose(self, context: StagingContext, implementation: str | None) -> Kind:
        name = context.target.catalog
        is_database = implementation == CATALOG_OF_DATABASES
        is_one = (name in self._declared) != is_database  # a declared database is no Iceberg's
        is_known = implementation in ICEBERGS or (is_one and implementation not in REACH_NOTHING)
        if name != SESSION_CATALOG and implementation and not is_known:
            raise messages.unsupported(
                context.target,
                f"nothing is known of the catalog {name}, whose class is {implementation}, and "
                f"{UNKNOWN_REFUSED}",
                "use a catalog of Iceberg's or Delta's, or method: session in the profile; or "
                f"{_declaration_of(name)}",
            )
        try:
            kind = super()._choose(context, implementation)
        except StagingError as error:
            own = error.remedy.removeprefix(
                f"{settings.FORMATS_LINE.format(context.layout.file_format)}; or "
            )
            error.remedy = own.replace("in spark_conf", "where the server is started")
            raise
        if kind is Kind.FILES and not self.has_files:
            line = server_metastore.line_of_profile(self._spark)
            raise messages.unsupported(
                context.target,
                f"a table of {context.layout.file_format} files can't be published atomically over "
                f"{self.over}: {FILES_REFUSED}",
                f"{line}; or set file_format: iceberg or delta (with such a "
                "catalog on the server), or use method: session in the profile",
            )
        return kind

    def _open(self, context: StagingContext, kind: Kind) -> StagingCatalog:
        if kind is Kind.FILES:
            self._check_metastore(context)
            return self.catalog
        if kind is Kind.DATABASE:
            return DatabaseCatalog(open_database(self._spark, context))
        name, is_iceberg = context.target.catalog, kind is Kind.ICEBERG
        options = self._options(name)
        is_known = settings.iceberg_kind(options) is not None or settings.is_hadoop(options)
        if is_iceberg and not is_known and name not in self._declared:
            raise messages.unsupported(
                context.target,
                f"it is not known whether {settings.iceberg_implementation(options)} swaps an "
                f"Iceberg table's metadata in one step, and over {self.over} no probe can find out",
                f"use a catalog of type hive, jdbc, rest or hadoop ({SETTINGS}{name}.type), or "
                f"method: session; or {_declaration_of(name)}",
            )
        branches = is_iceberg and settings.publishes_by_branch(options, self._facts)
        tables = SqlTables(asking(self._spark), name, kind.value, has_branches=branches)
        return StatementCatalog(tables, over_a_server(kind.value, self.over))

    @property
    def _method(self) -> str:
        return next(method for method, over in OVER.items() if over == self.over)

    @property
    def _release(self) -> tuple[int, ...]:
        """The server's; AtomicityNotSupportedError if it lacks what a listing needs."""
        found = tuple(map(int, re.findall(r"\d+", self._spark.version)[:2]))
        if found < OLDEST:
            raise AtomicityNotSupportedError(
                f"the server runs Spark {self._spark.version}, and tables of files need "
                f"{'.'.join(map(str, OLDEST))} or newer there",
                left=messages.UNTOUCHED,
                remedy="upgrade the server, or use method: session in the profile",
            )
        return found

    def _check_metastore(self, context: StagingContext) -> None:
        """Return if the profile's metastore is the server's.

        Raises:
            MetastoreNotReachedError: nobody answers there.
            ProfileError: it is not the server's.
        """
        catalog = self.catalog
        if self._metastore is not None and self._address is not None:
            check = server_metastore.Check(self._spark, self._address, self._metastore, catalog)
            check.run(context)

    def _delete(self, directory: str) -> None:
        """Have the metastore delete it, by an entry in a staging schema of this run."""
        if self._metastore is None or self._files is None:
            raise AssertionError("a storage deletes only while its catalog is open")
        digest = hashlib.sha256(directory.encode()).hexdigest()[:16]
        schema, now_ms = self._files.opened_schemas[0], self._clock.wall_ms()
        if not self._has_swept:
            self._has_swept = True
            self._metastore.drop_old_scratch_tables(schema, SCRATCH, now_ms - ORPHAN_AGE_MS)
        self._metastore.delete_directory(directory, TableName(schema, f"{SCRATCH}{digest}"), now_ms)


SCRATCH = f"{PREFIX}deletes_"
"""Entries by which the metastore deletes a directory; each is named by it."""


def _declaration_of(catalog: str) -> str:
    return (
        f"set {DECLARED}: [{catalog}] in the profile, if it is a catalog of Iceberg's that refuses "
        "a commit over another's, as those of Glue and Nessie do"
    )
