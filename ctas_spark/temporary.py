"""Temporary views, tables and functions of a session, each by the path that it shadows.

Spark's own temporary views have names of one part, which a query's CTEs and the listings of every
schema have, too. So each lies in Spark's schema of global temporary views, under the name of the
table that it shadows: ``select orders.id from ...`` means the same of both. Nothing of them is in a
metastore or a storage.
"""

import hashlib
import threading
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pyspark.errors import AnalysisException

from . import quoting
from .context import SESSION_CATALOG, TableName
from .engines import jvm
from .errors import InvalidArgumentError, NotSupportedError

GLOBAL = "spark.sql.globalTempDatabase"
MOST_PARTS = 3


class TemporaryKind(str, Enum):
    """What a temporary object is; views and tables share their names, as permanent ones do."""

    VIEW = "view"
    TABLE = "table"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class TemporaryObject:
    """One object: the path that it shadows, and the name by which Spark knows it, as SQL."""

    kind: TemporaryKind
    path: TableName
    name: str

    @property
    def own_name(self) -> str:
        """The last part of the name, without quotes."""
        return quoting.unquoted(self.name[self.name.index("`") :])


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a path that a user wrote, each with or without backticks.

    Raises:
        InvalidArgumentError: it is not a path of one, two or three parts.
    """
    found = quoting.parts(path.strip())
    if not 1 <= len(found) <= MOST_PARTS:
        raise InvalidArgumentError(
            f"{path!r} is not a path of one, two or three parts",
            left="nothing was created or dropped",
            remedy="write it like orders, shop.orders or spark_catalog.shop.orders, with backticks "
            "around a part that has a dot or a space in it",
        )
    return found


def expand(path: str, catalog: str, schema: str) -> TableName:
    """The full path, with what it leaves out; neither the catalog nor the schema has to exist."""
    *above, table = parts_of(path)
    within = (*(catalog, schema)[: 2 - len(above)], *above)
    if within[0].lower() == SESSION_CATALOG:
        return TableName(within[1].lower(), table.lower())
    return TableName(within[1], table, within[0])


class TemporaryObjects:
    """Those of one session, until they are dropped or cleared."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self._schema = str(spark.conf.get(GLOBAL))
        self._guard = threading.RLock()
        self._relations: dict[TableName, TemporaryObject] = {}
        self._functions: dict[TableName, TemporaryObject] = {}

    def name_of(self, path: TableName, *, is_function: bool = False) -> str | None:
        """The SQL that names what shadows a path; None if nothing does."""
        found = (self._functions if is_function else self._relations).get(path)
        return found.name if found else None

    def listed(self, kind: TemporaryKind) -> list[TableName]:
        """The paths of one kind."""
        return sorted((one.path for one in self.all if one.kind is kind), key=str)

    def shadow(
        self, path: TableName, frame: Any, kind: TemporaryKind = TemporaryKind.VIEW
    ) -> TemporaryObject:
        """Let a DataFrame be read in place of what the path names; it replaces an earlier one."""
        with self._guard:
            known = self._relations.get(path)
            name = quoting.identifier(known.own_name if known else self._made(path, frame))
            if known:
                frame.createOrReplaceGlobalTempView(name)
            made = TemporaryObject(kind, path, f"{self._schema}.{name}")
            self._relations[path] = made
            return made

    def add_function(self, path: TableName, name: str) -> None:
        """Note a temporary function that Spark knows by this name."""
        with self._guard:
            self._functions[path] = TemporaryObject(
                TemporaryKind.FUNCTION, path, quoting.identifier(name)
            )

    def drop(self, path: TableName, kind: TemporaryKind) -> bool:
        """Drop a temporary object of this kind, and nothing else; False if there is none."""
        objects = self._functions if kind is TemporaryKind.FUNCTION else self._relations
        with self._guard:
            found = objects.get(path)
            if found is None or found.kind is not kind:
                return False
            del objects[path]
            if kind is TemporaryKind.FUNCTION:
                self.spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {found.name}")
            else:
                # PySpark's own call also empties the cache of what the view shows
                jvm.session_catalog(self.spark).dropGlobalTempView(found.own_name)
            return True

    @property
    def all(self) -> frozenset[TemporaryObject]:
        """Views, tables and functions."""
        with self._guard:
            return frozenset((*self._relations.values(), *self._functions.values()))

    def clear(self, keep: Collection[TemporaryObject] = ()) -> None:
        """Drop all but some; a session whose Spark has ended has none."""
        for one in self.all.difference(keep):
            with suppress(*jvm.FAILURES):
                self.drop(one.path, one.kind)

    def generated(self, path: TableName) -> str:
        """A name that no other path and no other session of the same Spark has."""
        session = jvm.session(self.spark).sessionUUID()
        own = hashlib.sha256(f"{session} {path.parts}".encode()).hexdigest()[:8]
        return f"{path.table}__temporary_{own}"

    def _made(self, path: TableName, frame: Any) -> str:
        """Make the view under the table's own name, unless another path or session has taken it."""
        with suppress(AnalysisException):
            frame.createGlobalTempView(quoting.identifier(path.table))
            return path.table
        name = self.generated(path)
        frame.createOrReplaceGlobalTempView(quoting.identifier(name))
        return name


_of_sessions: dict[str, TemporaryObjects] = {}


def of(spark: Any) -> TemporaryObjects:
    """The temporary objects of a session, whoever asks for them.

    Raises:
        NotSupportedError: the session is on a server.
    """
    for key, one in list(_of_sessions.items()):
        if one.spark.sparkContext._jsc is None:  # noqa: SLF001 (the only sign that Spark has ended)
            del _of_sessions[key]
    if not jvm.is_local(spark):
        raise NotSupportedError(
            "temporary objects that shadow tables need Spark in this process",
            left="nothing was created",
            remedy="use method: session, or a Spark session of PySpark's own",
        )
    key = str(jvm.session(spark).sessionUUID())
    return _of_sessions.get(key) or _of_sessions.setdefault(key, TemporaryObjects(spark))


def forget_functions(spark: Any) -> None:
    """The session has ended, and with it its functions; what shadows tables is of all sessions."""
    found = _of_sessions.get(str(jvm.session(spark).sessionUUID()))
    if found is not None:
        for path in found.listed(TemporaryKind.FUNCTION):
            found.drop(path, TemporaryKind.FUNCTION)


def everything() -> frozenset[TemporaryObject]:
    """The objects of all sessions of this process."""
    return frozenset(one for objects in list(_of_sessions.values()) for one in objects.all)


def name_of(path: TableName, *, is_function: bool = False) -> str | None:
    """What shadows the path in any session: dbt's relations do not know theirs."""
    found = (one.name_of(path, is_function=is_function) for one in list(_of_sessions.values()))
    return next(filter(None, found), None)


def generated_names() -> dict[str, str]:
    """The table's name by the SQL that names its view, of views that have another name."""
    views = (one for one in everything() if one.kind is not TemporaryKind.FUNCTION)
    return {one.name: one.path.table for one in views if one.own_name != one.path.table}


def clear(keep: Collection[TemporaryObject]) -> None:
    """Drop the objects of all sessions but some."""
    for objects in list(_of_sessions.values()):
        objects.clear(keep)
