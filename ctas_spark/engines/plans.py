"""Where a query would read a table, by the plan that Spark's analyser makes of it."""

import re
from collections.abc import Iterator
from typing import Any

from pyspark.errors import AnalysisException

from ..context import TableName
from . import jvm
from .explained import CUT
from .protocol import TableRead

OF_FILES, OF_HIVE, OF_A_CATALOG = "LogicalRelation", "HiveTableRelation", "DataSourceV2Relation"
WITH_FILES = "HadoopFsRelation"
OF_ICEBERG = "org.apache.iceberg.spark.source.SparkTable"
LISTED = ("InMemoryFileIndex", "CatalogFileIndex")
"""How Spark knows the files of its own tables; a format with a log lists by that, and afresh."""
FILE = re.compile(r"path=(.*?); isDirectory=false; length=(\d+);.*?modification_time=(\d+)")
"""What Hadoop's ``FileStatus.toString`` says: a relation's files cross to Python as one text."""


def reads(spark: Any, query: str, table: TableName) -> frozenset[TableRead]:
    """Each different way in which the query reads the table; nothing of it is run.

    Subqueries and views are part of the plan. A path is not the table that lies there.
    """
    try:
        plan = _analyzed(spark, query)
    except AnalysisException:
        return frozenset()  # its job fails, too, and says so in Spark's own words
    text = str(plan.toString())
    if not text.endswith(CUT) and str(table).lower() not in text.replace("`", "").lower():
        return frozenset()
    found = (_read(spark, leaf, table) for leaf in _leaves(plan))
    return frozenset(one for one in found if one is not None)


def _analyzed(spark: Any, query: str) -> Any:
    """The plan of a text that is not run, whatever statement it is."""
    state = jvm.session(spark).sessionState()
    parsed = state.sqlParser().parsePlan(query)
    return state.executePlan(parsed, getattr(state, "executePlan$default$2")()).analyzed()


def _leaves(plan: Any) -> Iterator[Any]:
    for one in (plan, *jvm.each(plan.subqueriesAll())):
        yield from jvm.each(one.collectLeaves())


def _read(spark: Any, leaf: Any, table: TableName) -> TableRead | None:
    kind = str(leaf.getClass().getSimpleName())
    if kind == OF_A_CATALOG:
        return _read_of_format(leaf) if _is_in_catalog(leaf, table) else None
    if kind == OF_HIVE:
        found = leaf.tableMeta()
    elif kind == OF_FILES and leaf.catalogTable().isDefined():
        found = leaf.catalogTable().get()
    else:
        return None
    name = found.identifier()
    if (str(name.database().get()).lower(), str(name.table()).lower()) != (
        table.database,
        table.table,
    ):
        return None
    files = _files(spark, leaf.relation()) if kind == OF_FILES else frozenset()
    return TableRead(str(found.location().toString()), files)


def _read_of_format(leaf: Any) -> TableRead | None:
    """By Iceberg's snapshot, which a plan keeps before Spark 4.1; an old one on purpose is none."""
    table = leaf.table()
    if str(table.getClass().getName()) != OF_ICEBERG:
        return TableRead("")
    if table.snapshotId() is not None:
        return None
    now = table.table().currentSnapshot()
    return TableRead("" if now is None else str(now.snapshotId()))


def _is_in_catalog(leaf: Any, table: TableName) -> bool:
    if not (leaf.catalog().isDefined() and leaf.identifier().isDefined()):
        return False
    name = f"{leaf.catalog().get().name()}.{leaf.identifier().get()}".replace("`", "")
    return name.lower() == f"{table.catalog}.{table.database}.{table.table}".lower()


def _files(spark: Any, relation: Any) -> frozenset[tuple[str, str, str]]:
    if str(relation.getClass().getSimpleName()) != WITH_FILES:
        return frozenset()
    index, nothing = relation.location(), jvm.sequence(jvm.classes(spark), [])
    if str(index.getClass().getSimpleName()) not in LISTED:
        return frozenset()
    return frozenset(FILE.findall(str(index.listFiles(nothing, nothing).mkString("\n"))))
