"""What each catalog reaches, as docs/catalogs.md has it: what the code says, and who checks that.

    PYTHONPATH=tests/support python -m contract.reached

It writes the tables of the page anew.
"""

from collections.abc import Mapping
from pathlib import Path

from ctas_spark.catalogs import levels
from ctas_spark.catalogs import server as without_jvm
from ctas_spark.catalogs.kinds import REACH_NOTHING, ROWS_IN_PARTS
from ctas_spark.catalogs.levels import LEVELS, CatalogLevel
from ctas_spark.database import by_rename
from ctas_spark.database import catalog as databases
from ctas_spark.options import BAD_FORMATS

PAGE = Path(__file__).parents[3] / levels.PAGE
BEGIN, END = "<!-- {name}: written by contract.reached -->\n", "<!-- end -->\n"
CONTRACT = "`tests/contract --catalog {}`"
OTHERS = "`tests/other_catalogs`"
ALL = "session, connect, thrift"
REMOTE = "`tests/remote`"
BY_SQL = f"{REMOTE} (jdbc), `tests/iceberg` (all but declared)"
COLUMNS = (
    "catalog",
    "formats",
    "connection",
    "level up to",
    "conflicts are found by",
    "checked by",
)


FAKES = CONTRACT.format("fakes")
CHECKED: Mapping[tuple[str, str], tuple[str, tuple[str, ...]]] = {
    ("Hive with compare-and-swap", "session"): (CONTRACT.format("hive_remote"), ("fakes",)),
    ("Hive without it, in one process", "session"): (FAKES, ("fakes_with_a_lock",)),
    ("Hive without it, with lock tables", ALL): (FAKES, ("fakes_with_lock_tables",)),
    ("Hive with neither", ALL): (f"{FAKES}, `hive_3`", ("fakes_unchecked", "hive_3")),
    ("Hive, called from Python", "session"): ("`tests/contract_clients`", ()),
    ("Iceberg, hive, and Iceberg's SparkSessionCatalog", "session"): (
        f"{CONTRACT.format('iceberg_hive')}, `iceberg_session`",
        ("iceberg_hive", "iceberg_session"),
    ),
    ("Iceberg, jdbc", "session"): (CONTRACT.format("iceberg_jdbc"), ("iceberg_jdbc",)),
    ("Iceberg, rest", "session"): (CONTRACT.format("iceberg_rest"), ("iceberg_rest",)),
    ("Iceberg, declared and probed", "session"): (OTHERS, ()),
    ("Iceberg, hadoop", "session"): (
        f"{CONTRACT.format('iceberg_hadoop')}, {OTHERS}",
        ("iceberg_hadoop",),
    ),
    ("Delta's, over a Delta table", "session"): (CONTRACT.format("delta"), ("delta",)),
    ("Hive with compare-and-swap, `metastore` in the profile", "connect, thrift"): (
        f"{CONTRACT.format('hive_over_connect')}, `hive_over_thrift`, {REMOTE}",
        ("hive_over_connect", "hive_over_thrift"),
    ),
    ("Iceberg, hive, jdbc, rest, hadoop, declared", "connect"): (BY_SQL, ()),
    ("Iceberg, hive, jdbc, rest, hadoop, declared", "thrift"): (BY_SQL, ()),
    ("Delta's", "connect"): (REMOTE, ()),
    ("Delta's", "thrift"): (REMOTE, ()),
    ("PostgreSQL, in Spark's JDBC catalog", ALL): (
        f"{CONTRACT.format('postgresql')}, {OTHERS}",
        ("postgresql",),
    ),
}
"""By catalog and connection: who checks that, and the claims of the contract suite which have to
say the same."""


def claims_of(level: CatalogLevel) -> tuple[str, ...]:
    """Those of a row."""
    return CHECKED[level.cells[0], level.cells[2]][1]


def tables() -> dict[str, str]:
    """The page's tables by name, in Markdown."""
    served = [_row(*COLUMNS), _rule(len(COLUMNS)), *map(_served, LEVELS)]
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


def _served(level: CatalogLevel) -> str:
    catalog, formats, methods, reached, check = level.cells
    return _row(catalog, formats, methods, f"`{reached}`", check, CHECKED[catalog, methods][0])


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _rule(columns: int) -> str:
    return f"{'|---' * columns}|\n"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
