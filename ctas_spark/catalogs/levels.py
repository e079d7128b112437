"""What each catalog reaches by each connection, as docs/catalogs.md and ``dbt debug`` say it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..context import DELTA, Atomicity
from ..database import catalog as databases
from ..files import catalog as files
from ..iceberg import catalog as iceberg
from ..publish.catalog import Capabilities, ConflictCheck
from ..publish.locks import MetastoreLock, ProcessLock
from ..statement.catalog import with_branches
from .settings import IcebergKind

if TYPE_CHECKING:
    from ..metastore.client import TableLockClient

PAGE = "docs/catalogs.md"
SESSION = "session"
OVER = {"connect": "Spark Connect", "thrift": "Thrift"}
"""The profile's methods that lead to a server, in words."""
FILES = ("parquet", "orc", "avro", "csv", "json", "text")
ICEBERG = "iceberg"
CHECKS = {
    ConflictCheck.CAS: "compare-and-swap",
    ConflictCheck.LOCK: "a lock",
    ConflictCheck.NONE: "nothing",
}
NOT_ISOLATED = (
    "a commit by another writer between the last look at the table and the statement is not "
    "noticed: the last writer wins"
)
WHY_NOT_MORE = (
    "a commit that is conditional on what the model saw is made by the format's Java classes, and "
    f"over {{}} the driver's JVM can't be reached; {NOT_ISOLATED}"
)
INSTEAD = "use method: session in the profile for isolated, or set atomicity: auto"
HADOOP = Capabilities(
    "iceberg (hadoop)",
    ConflictCheck.NONE,
    Atomicity.ATOMIC,
    "in a hadoop catalog a table is its directory, so there is no second name under which to stage "
    f"a version; {NOT_ISOLATED}, and "
    "a DROP and CREATE while the statement runs leaves a table without files",
    "use a catalog of type hive, jdbc or rest, or set atomicity: auto",
)


def over_a_server(format_name: str, over: str) -> Capabilities:
    """What the format's own CREATE or REPLACE TABLE reaches; ``over`` names the connection."""
    return Capabilities(
        f"{format_name}, over {over}",
        ConflictCheck.NONE,
        Atomicity.ATOMIC,
        WHY_NOT_MORE.format(over),
        INSTEAD,
    )


@dataclass(frozen=True, slots=True)
class CatalogLevel:
    """A row: a kind of catalog, its formats, the profile's methods, and what is reached."""

    catalog: str
    formats: tuple[str, ...]
    reached: Capabilities
    methods: tuple[str, ...] = (SESSION,)

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """As the page has them."""
        return (
            self.catalog,
            ", ".join(self.formats),
            ", ".join(self.methods),
            self.reached.reaches.value,
            CHECKS[self.reached.conflict_check],
        )


def _levels() -> Iterator[CatalogLevel]:
    cas = files.reached(ConflictCheck.CAS)
    of_process = files.reached(ConflictCheck.LOCK, ProcessLock())
    by_lock = files.reached(ConflictCheck.LOCK, MetastoreLock(cast("TableLockClient", None), ""))
    yield CatalogLevel("Hive with compare-and-swap", FILES, cas)
    yield CatalogLevel("Hive without it, in one process", FILES, of_process)
    unchecked = files.reached(ConflictCheck.NONE)
    yield CatalogLevel("Hive without it, with lock tables", FILES, by_lock, (SESSION, *OVER))
    yield CatalogLevel("Hive with neither", FILES, unchecked, (SESSION, *OVER))
    yield CatalogLevel("Hive, called from Python", FILES, cas)
    for kind, name in (
        (IcebergKind.HIVE, "Iceberg, hive, and Iceberg's SparkSessionCatalog"),
        (IcebergKind.JDBC, "Iceberg, jdbc"),
        (IcebergKind.REST, "Iceberg, rest"),
        (IcebergKind.DECLARED, "Iceberg, declared and probed"),
    ):
        yield CatalogLevel(name, (ICEBERG,), iceberg.reached(kind.value))
    yield CatalogLevel("Iceberg, hadoop", (ICEBERG,), with_branches(HADOOP))
    yield CatalogLevel("Delta's, over a Delta table", (DELTA,), cas)
    named = "Hive with compare-and-swap, `metastore` in the profile"
    yield CatalogLevel(named, FILES, cas, tuple(OVER))
    for method, over in OVER.items():
        in_sql = over_a_server(ICEBERG, over)
        name = "Iceberg, hive, jdbc, rest, hadoop, declared"
        yield CatalogLevel(name, (ICEBERG,), with_branches(in_sql), (method,))
    for method, over in OVER.items():
        yield CatalogLevel("Delta's", (DELTA,), over_a_server(DELTA, over), (method,))
    name = "PostgreSQL, in Spark's JDBC catalog"
    yield CatalogLevel(name, ("the database's",), databases.REACHED, (SESSION, *OVER))


LEVELS = tuple(_levels())


def row(method: str, file_format: str, found: Capabilities) -> str:
    """The page's row of what a profile's method reaches for a format; empty if it has none."""
    of_both = [one for one in LEVELS if method in one.methods and file_format in one.formats]
    for one in of_both:
        if one.reached == found or (file_format, method) == (DELTA, SESSION):
            return " | ".join(one.cells)
    return ""
