"""What each catalog reaches, as docs/catalogs.md has it: what the code says, and who checks that.

    PYTHONPATH=tests/support python -m contract.reached

It writes the tables of the page anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from ctas_spark.catalogs import server as without_jvm
from ctas_spark.catalogs.kinds import (
    HADOOP,
    REACH_NOTHING,
    ROWS_IN_PARTS,
    Kind,
)
from ctas_spark.catalogs.settings import IcebergKind
from ctas_spark.database import by_rename
from ctas_spark.database import catalog as databases
from ctas_spark.files import catalog as session_catalog
from ctas_spark.iceberg.catalog import IcebergCatalog
from ctas_spark.metastore.client import TableLockClient
from ctas_spark.options import BAD_FORMATS
from ctas_spark.publish.catalog import Capabilities, ConflictCheck
from ctas_spark.publish.locks import MetastoreLock, ProcessLock
from ctas_spark.statement.catalog import with_branches

PAGE = Path(__file__).parents[3] / "docs" / "catalogs.md"
BEGIN, END = "<!-- {name}: written by contract.reached -->\n", "<!-- end -->\n"
FILES = "parquet, orc, avro, csv, json, text"
CONTRACT = "`tests/contract --catalog {}`"
OTHERS = "`tests/other_catalogs`"
KNOWN = (IcebergKind.HIVE, IcebergKind.JDBC, IcebergKind.REST)
REMOTE = "connect, thrift"
COLUMNS = (
    "catalog",
    "formats",
    "connection",
    "level up to",
    "conflicts are found by",
    "checked by",
)


@dataclass(frozen=True, slots=True)
class Line:
    """One row: a kind of catalog, the code's word for what it reaches, and who checks that.

    ``claims`` are those of the contract suite which have to say the same.
    """

    catalog: str
    formats: str
    found: Capabilities
    checked_by: str
    claims: tuple[str, ...] = ()
    connection: str = "session"


def lines() -> Iterator[Line]:
    """Every kind of catalog that is served."""
    yield from _metastores()
    for kind in KNOWN:
        claim = f"iceberg_{kind.value}"
        found = _of_iceberg(kind)
        yield Line(f"Iceberg, {kind.value}", "iceberg", found, CONTRACT.format(claim), (claim,))
    session = CONTRACT.format("iceberg_session")
    hive = _of_iceberg(IcebergKind.HIVE)
    yield Line("Iceberg's SparkSessionCatalog", "iceberg", hive, session, ("iceberg_session",))
    declared = _of_iceberg(IcebergKind.DECLARED)
    yield Line("Iceberg, declared and probed", "iceberg", declared, OTHERS)
    hadoop = "iceberg_hadoop"
    at_once = f"{CONTRACT.format(hadoop)}, {OTHERS}"
    yield Line("Iceberg, hadoop", "iceberg", with_branches(HADOOP), at_once, (hadoop,))
    over_delta = session_catalog.reached(ConflictCheck.CAS)
    yield Line(
        "Delta's, over a Delta table", "delta", over_delta, CONTRACT.format("delta"), ("delta",)
    )
    yield from _of_a_server()
    name, claim = "PostgreSQL, in Spark's JDBC catalog", "postgresql"
    checked = f"{CONTRACT.format(claim)}, {OTHERS}"
    every = "session, connect, thrift"
    yield Line(name, "the database's", databases.REACHED, checked, (claim,), every)


def _of_iceberg(kind: IcebergKind) -> Capabilities:
    """What a catalog says whose staging schema is there already."""
    tables = SimpleNamespace(has_namespace=lambda _: True)
    services = cast("Any", SimpleNamespace(tables=tables, engine=SimpleNamespace(sql=None)))
    return IcebergCatalog(services, kind.value).capabilities("any")


def _of_a_server() -> Iterator[Line]:
    iceberg_catalogs = ", ".join((*(kind.value for kind in KNOWN), "hadoop"))
    names = {Kind.ICEBERG: f"Iceberg, {iceberg_catalogs}", Kind.DELTA: "Delta's"}
    checked = {
        Kind.ICEBERG: "`tests/remote` (jdbc), `tests/iceberg` (all)",
        Kind.DELTA: "`tests/remote`",
    }
    over_thrift = session_catalog.reached(ConflictCheck.CAS)
    name, claim = "Hive with compare-and-swap, `metastore` in the profile", "hive_over_connect"
    by_both = f"{CONTRACT.format(claim)}, `tests/remote`"
    yield Line(name, FILES, over_thrift, by_both, (claim,), REMOTE)
    for kind in (Kind.ICEBERG, Kind.DELTA):
        found = without_jvm.reached(kind.value, without_jvm.CONNECT)
        found = with_branches(found) if kind is Kind.ICEBERG else found
        yield Line(names[kind], kind.value, found, checked[kind], connection=REMOTE)


def _metastores() -> Iterator[Line]:
    reached = session_catalog.reached
    by_cas, unchecked = reached(ConflictCheck.CAS), reached(ConflictCheck.NONE)
    of_process = reached(ConflictCheck.LOCK, ProcessLock())
    by_lock = reached(ConflictCheck.LOCK, MetastoreLock(cast("TableLockClient", None), ""))
    each = (
        ("Hive with compare-and-swap", by_cas, "hive_remote", "fakes"),
        ("Hive without it, in one process", of_process, "fakes", "fakes_with_a_lock"),
        ("Hive without it, with lock tables", by_lock, "fakes", "fakes_with_lock_tables"),
        ("Hive with neither", unchecked, "fakes", "fakes_unchecked"),
    )
    for name, found, suite, claim in each:
        yield Line(name, FILES, found, CONTRACT.format(suite), (claim,))
    over_thrift = reached(ConflictCheck.CAS)
    yield Line("Hive, called from Python", FILES, over_thrift, "`tests/contract_clients`")


def tables() -> dict[str, str]:
    """The page's tables by name, in Markdown."""
    served = [_row(*COLUMNS), _rule(len(COLUMNS)), *map(_served, lines())]
    refused = [_row("refused", "why"), _rule(2)]
    refused += [_row(f"the catalog `{name}`", why) for name, why in REACH_NOTHING.items()]
    refused += [
        _row("a JDBC catalog of another database", databases.NOT_TRIED),
        _row("to replace a table in a database", by_rename.WHY_NOT),
        _row("to add rows to a table in a database", ROWS_IN_PARTS),
    ]
    refused += [_row(f"`file_format: {name}`", why) for name, why in BAD_FORMATS.items()]
    remote = "over Spark Connect or Thrift"
    refused += [_row(f"{what}, {remote}", why) for what, why in without_jvm.REFUSED]
    return {"reached": "".join(served), "refused": "".join(refused)}


def page(text: str) -> str:
    """The page with its tables as they are now."""
    for name, table in tables().items():
        begin = BEGIN.format(name=name)
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{table}{END}{rest.partition(END)[2]}"
    return text


def _served(line: Line) -> str:
    found = line.found
    return _row(
        line.catalog,
        line.formats,
        line.connection,
        f"`{found.reaches.value}`",
        {"cas": "compare-and-swap", "lock": "a lock", "none": "nothing"}[found.conflict_check],
        line.checked_by,
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _rule(columns: int) -> str:
    return f"{'|---' * columns}|\n"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
