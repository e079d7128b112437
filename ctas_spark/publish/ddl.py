"""The statements of publications; all of them are built here."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Protocol

from .. import quoting
from ..context import TableLayout, TableName
from ..errors import MetastoreError, StagingSchemaError
from . import messages

TRANSFORM = re.compile(
    r"(?P<one>years?|months?|days?|date|hours?|date_hour)\s*\((?P<column>[^()]+)\)"
    r"|(?P<sized>bucket|truncate)\s*\((?P<first>[^(),]+),(?P<second>[^(),]+)\)",
    re.IGNORECASE,
)


def create_table_as(
    name: TableName, location: str, layout: TableLayout, own: Mapping[str, str], query: str
) -> str:
    """The CTAS of a version; ``own`` are our properties next to the model's.

    USING is always written out: without it Spark 3.5 makes a text table.
    """
    said = "\n".join(_clauses(layout, location, {**layout.properties, **own}))
    return f"CREATE TABLE {quoting.table(name)}\n{said}\nAS\n{query}"


def _clauses(layout: TableLayout, location: str, properties: Mapping[str, str]) -> Iterator[str]:
    yield f"USING {quoting.identifier(layout.file_format)}"
    if layout.options:
        yield f"OPTIONS {quoting.properties(layout.options)}"
    if layout.partition_by:
        yield f"PARTITIONED BY ({quoting.identifiers(layout.partition_by)})"
    if layout.clustered_by and layout.buckets is None:
        yield f"CLUSTER BY ({quoting.identifiers(layout.clustered_by)})"
    elif layout.clustered_by:
        yield _buckets(layout)
    yield f"LOCATION {quoting.string(location)}"
    yield from _described(layout, properties)


def _buckets(layout: TableLayout) -> str:
    columns = quoting.identifiers(layout.clustered_by)
    order = f"SORTED BY ({quoting.identifiers(layout.sorted_by)}) " if layout.sorted_by else ""
    return f"CLUSTERED BY ({columns}) {order}INTO {layout.buckets} BUCKETS"


def without_rows(query: str) -> str:
    """The query's columns and no row: Spark plans it without running it."""
    return f"SELECT * FROM (\n{query}\n) LIMIT 0"  # noqa: S608 (the model's own query)


def insert_into(name: TableName, query: str) -> str:
    """Add the query's rows to a table by the names of its columns: partition columns moved last."""
    return f"INSERT INTO {quoting.table(name)} BY NAME\n{query}"


def clauses(provider: str | None, layout: TableLayout, properties: Mapping[str, str]) -> str:
    """Those that Spark's connectors (DataSource V2) take; with no provider the catalog decides."""
    using = [] if provider is None else [f"USING {provider}"]
    fields = ", ".join(map(partition_field, layout.partition_by))
    partitioned = [f"PARTITIONED BY ({fields})"] if fields else []
    return "\n".join((*using, *partitioned, *_described(layout, properties)))


def _described(layout: TableLayout, properties: Mapping[str, str]) -> Iterator[str]:
    if layout.comment is not None:
        yield f"COMMENT {quoting.string(layout.comment)}"
    if properties:
        yield f"TBLPROPERTIES {quoting.properties(properties)}"


def partition_field(text: str) -> str:
    """A column, or a transform of a column that Spark's grammar has; names are quoted."""
    found = TRANSFORM.fullmatch(text.strip())
    if found is None:
        return quoting.identifier(text)
    if found["one"]:
        return f"{found['one']}({_column(found['column'])})"
    first, second = found["first"].strip(), found["second"].strip()
    size, column = (first, second) if first.isdecimal() else (second, first)
    if not size.isdecimal():
        return quoting.identifier(text)
    return f"{found['sized']}({size}, {_column(column)})"


def is_transform(text: str) -> bool:
    """True if the text is a transform, and not the name of a column."""
    return partition_field(text) != quoting.identifier(text)


def _column(text: str) -> str:
    return quoting.identifier(quoting.unquoted(text))


def create_staging_schema(
    run: Callable[[str], object], catalog: str, name: str, find: Callable[[], object]
) -> None:
    """Make the schema that holds the records of versions, or find that another run has made it.

    ``IF NOT EXISTS`` looks and then creates: of two runs, Hive 4 fails one over the unique key.

    Raises:
        StagingSchemaError: it can't be made.
    """
    statement = f"CREATE SCHEMA IF NOT EXISTS {quoting.namespace(catalog, name)}"
    try:
        run(statement)
    except Exception as error:  # whatever the engine raises: the remedy is the same
        with suppress(MetastoreError):
            if find():
                return
        what = f"the staging schema {name} does not exist and can't be created: {error}"
        remedy = f"ask an administrator to run: {statement}"
        raise StagingSchemaError(what, left="nothing was started", remedy=remedy) from error


class Namespaces(Protocol):
    """A catalog's namespaces; every call raises MetastoreError."""

    name: str

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is there."""


class StagingNamespaces:
    """Looks for each namespace once, whichever thread asks first."""

    def __init__(self, namespaces: Namespaces, run: Callable[[str], object]) -> None:
        self._namespaces = namespaces
        self._run = run
        self._guard = threading.Lock()
        self._known: set[str] = set()

    def ensure(self, namespace: str, target: TableName | None = None) -> None:
        """Make a staging schema if it is not there.

        Raises:
            NoSuchSchemaError: the target has no schema; nothing is made for it.
            StagingSchemaError: it can't be made.
        """
        with self._guard:
            if target is not None and target.database not in self._known:
                if not self._namespaces.has_namespace(target.database):
                    raise messages.no_such_schema(target)
                self._known.add(target.database)
            find = partial(self._namespaces.has_namespace, namespace)
            if namespace not in self._known and not find():
                create_staging_schema(self._run, self._namespaces.name, namespace, find)
            self._known.add(namespace)
