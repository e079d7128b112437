"""The tables of a database behind Spark's JDBC catalog, as PostgreSQL itself tells of them.

Spark's own look at such a table is not enough: Spark 3.5 takes a lost connection for "there is no
table", and lists the tables of any schema whose name LIKE finds.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .. import quoting
from ..clock import SYSTEM_CLOCK, Clock
from ..context import TableName
from ..publish.marker import VERSION_ID
from ..statement.tables import Answer, Ask, SqlTables

POSTGRESQL, DRIVER = "jdbc:postgresql:", "org.postgresql.Driver"
"""How the URL of a catalog begins whose database is served; and its driver."""
TABLES = ("pg_catalog", "pg_stat_all_tables")
"""PostgreSQL's view of all tables of all users; a rename leaves ``relid`` as it is."""
RELATIONS = ("information_schema", "tables")
NAME = re.compile(r"[a-z_][a-z0-9_]*")
"""Spark writes the new name of a table without quotes, and PostgreSQL reads that in lower case."""
_WORDS = (
    "all analyse analyze and any array as asc asymmetric authorization binary both case cast "
    "check collate collation column concurrently constraint create cross current_catalog "
    "current_date current_role current_schema current_time current_timestamp current_user "
    "default deferrable desc distinct do else end except false fetch for foreign freeze from "
    "full grant group having ilike in initially inner intersect into is isnull join lateral "
    "leading left like limit localtime localtimestamp natural not notnull null offset on only "
    "or order outer overlaps placing primary references returning right select session_user "
    "similar some symmetric system_user table tablesample then to trailing true union unique "
    "user using variadic verbose when where window with"
)
RESERVED = frozenset(_WORDS.split())
"""Words that PostgreSQL takes for a name only in quotes. Source: its appendix "SQL Key Words"."""
MOST_OF_A_NAME = 63
STAGED = "__ctas_"
MOST_OF_THE_TABLE = MOST_OF_A_NAME - len(STAGED) - len("20260101t120000x0a1b2c3d")
DIGEST = 8


@dataclass(frozen=True, slots=True)
class DatabaseBase:
    """What has the name: a table, by PostgreSQL's number for it, or an obstacle, or nothing."""

    name: TableName
    number: int | None = None
    obstacle: str = ""
    can_be_replaced = False
    version = level = None  # a table in a database has no marker

    @property
    def exists(self) -> bool:
        return self.number is not None or bool(self.obstacle)


class Database:
    """One JDBC catalog; each look is a new query, and no answer is a MetastoreError."""

    def __init__(self, ask: Ask, catalog: str, clock: Clock = SYSTEM_CLOCK) -> None:
        self.name = catalog
        self.clock = clock
        self._sql = SqlTables(ask, catalog, "", clock)
        self.has_namespace = self._sql.has_namespace
        self.now_ms = self._sql.driver.now_ms
        self.run = self._sql.run

    def look(self, name: TableName) -> DatabaseBase:
        """What has the name now."""
        schema, table = quoting.string(name.database), quoting.string(name.table)
        where = f"schemaname = {schema} AND relname = {table}"
        for row in self._select(f"look for {name}", "relid", TABLES, where):
            return DatabaseBase(name, int(row["relid"]))
        where = f"table_schema = {schema} AND table_name = {table}"
        for row in self._select(f"look at {name}", "table_type", RELATIONS, where):
            return DatabaseBase(name, obstacle=f"a relation of the type {row['table_type']}")
        return DatabaseBase(name)

    def staged_for(self, target: TableName) -> Iterator[tuple[str, TableName]]:
        """The versions that are staged for the target, each with its table."""
        where = f"schemaname = {quoting.string(target.database)}"
        for row in self._select(f"list {target.database}", "relname", TABLES, where):
            table = str(row["relname"])
            version = table.rpartition(STAGED)[2]
            if VERSION_ID.fullmatch(version) and staged_name(target, version).table == table:
                yield version, staged_name(target, version)

    def drop(self, name: TableName) -> None:
        """Drop a table that is staged, if it is there; this starts no job, so a cancel lets it."""
        self.run(f"drop {name}", f"DROP TABLE IF EXISTS {quoting.table(name)}")

    def _select(self, action: str, column: str, view: Sequence[str], where: str) -> Answer:
        path = ".".join(map(quoting.identifier, (self.name, *view)))
        return self.run(action, f"SELECT {column} FROM {path} WHERE {where}")  # noqa: S608 (quoted)


def staged_name(target: TableName, version: str) -> TableName:
    """Next to the target, because a rename stays in its schema; a long name is cut."""
    own = target.table
    if len(own) > MOST_OF_THE_TABLE:
        own = f"{own[: MOST_OF_THE_TABLE - DIGEST]}{zlib.crc32(own.encode()):08x}"
    return TableName(target.database, f"{own}{STAGED}{version}", target.catalog)
