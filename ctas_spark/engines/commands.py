"""What a statement does, by the plan that Spark's own parser makes of it."""

import re
from collections.abc import Iterator
from typing import Any

from pyspark.errors import ParseException

from .. import quoting
from ..context import SESSION_CATALOG, TableName, catalog_of, table_name
from ..errors import NotSupportedError
from . import jvm

COMMAND = "org.apache.spark.sql.catalyst.plans.logical.Command"
STATEMENT = "org.apache.spark.sql.catalyst.plans.logical.ParsedStatement"
READING = ("Show", "Describe", "List", "Explain", "Refresh")
"""Commands of these kinds change nothing but a session's caches."""
OF_SESSION = frozenset(
    (
        *("SetCommand", "ResetCommand", "SetCatalogAndNamespace", "SetCatalogCommand"),
        *("SetNamespaceCommand", "CacheTable", "CacheTableAsSelect", "UncacheTable"),
        *("ClearCacheCommand$", "CreateTempViewUsing", "CreateVariable", "SetVariable"),
        *("DropVariable", "DropTempViewCommand", "AddJarsCommand", "AddFilesCommand"),
        *("AddArchivesCommand", "AddJarCommand", "AddFileCommand", "AddArchiveCommand"),
    )
)
"""Commands that change the session alone."""
OF_VIEWS = "CreateViewCommand"
OF_FUNCTIONS = ("CreateFunctionCommand", "CreateSQLFunctionCommand", "DropFunctionCommand")
"""Commands that are of the session where they say TEMPORARY."""
PERSISTED = "PersistedView"
NO_COMMANDS = (
    *("InsertIntoDir", "Call", "UnresolvedExecuteImmediate", "ExecuteImmediateQuery"),
    *("RestoreTableStatement", "CloneTableStatement"),
)
"""What writes, or may write, and is no command to Spark's parser; the last two are Delta's."""
COMMENT = re.compile(r"^\s*/\*.*?\*/\s*", re.DOTALL)
"""What dbt puts before each statement."""
SHOWN = 200
COUNTS = re.compile(r"\b(?:analyze|insert)\b", re.IGNORECASE)
COMMENTS = re.compile(r"\A(?:\s|/\*.*?\*/|--[^\n]*(?:\n|\Z))+", re.DOTALL)
FIRST_WORDS = re.compile(
    r"\s*(?:ANALYZE\s+TABLE|(?P<insert>INSERT\s+(?:INTO|OVERWRITE)(?:\s+TABLE)?))\s+"
    rf"(?P<path>{quoting.PATH.pattern})",
    re.IGNORECASE,
)
COUNTED = "spark.sql.statistics.size.autoUpdate.enabled"
OF_ONE_TABLE, OF_A_DATABASE = ("AnalyzeTable", "AnalyzeColumn"), "AnalyzeTables"
INSERT = "InsertIntoStatement"
COMPUTED = "PlanWithUnresolvedIdentifier"
"""What IDENTIFIER(...) names."""
AROUND = ("UnresolvedWith", "Union")
"""What an INSERT can stand in: WITH ... INSERT, FROM ... INSERT ... INSERT."""


def changes_more_than_session(spark: Any, sql: str) -> bool:
    """True if the statement may write to a metastore or a storage; it is not run.

    A command that is not known is taken for one that does. What can't be parsed does nothing.
    """
    parser = jvm.session(spark).sessionState().sqlParser()
    return _writes(spark, parser.parsePlan(sql))


def may_count(sql: str) -> bool:
    """True if ``counted_tables`` should be asked."""
    return COUNTS.search(sql) is not None


def counted_tables(spark: Any, sql: str) -> tuple[TableName, ...]:
    """The session catalog's tables whose size the statement, which is not run, writes down.

    Those are an ANALYZE's, and an INSERT's where Spark is to count after each.
    """
    parser = jvm.session(spark).sessionState().sqlParser()
    counts_inserts = spark.conf.get(COUNTED, "false").lower() == "true"
    try:
        plan = parser.parsePlan(sql)
    except ParseException:
        return ()
    return tuple(_counted(spark, plan, counts_inserts=counts_inserts))


def counted_by_words(spark: Any, sql: str) -> tuple[TableName, ...]:
    """Those tables by the statement's first words: a server's session has no parser to ask.

    ANALYZE TABLES, which names no table, is left out, and so is what comes after WITH or FROM.
    """
    found = FIRST_WORDS.match(COMMENTS.sub(" ", sql, count=1))
    if found is None:
        return ()
    if found["insert"] and str(spark.conf.get(COUNTED, "false")).lower() != "true":
        return ()
    *above, table = quoting.parts(found["path"])
    schema = above.pop() if above else str(spark.sql("SELECT current_schema()").collect()[0][0])
    catalog = above.pop() if above else SESSION_CATALOG
    is_one = not above and catalog_of(catalog) == SESSION_CATALOG
    return (table_name(SESSION_CATALOG, schema, table),) if is_one else ()


def abridged(sql: str) -> str:
    """The beginning of a statement, on one line."""
    return " ".join(COMMENT.sub("", sql).split())[:SHOWN]


def refuse_changes(spark: Any, sql: str) -> None:
    """Return if the statement reads, or changes the session alone.

    Raises:
        NotSupportedError: it may write.
    """
    if changes_more_than_session(spark, sql):
        raise refused(sql)


def refused(sql: str) -> NotSupportedError:
    """The refusal of a statement that writes, or runs a program that may."""
    return NotSupportedError(
        f"a preview writes nothing, and this statement may: {abridged(sql)}",
        left="the statement was not run",
        remedy="leave the node out of the preview with --exclude, or make the statement "
        "conditional on adapter.is_preview()",
    )


def _writes(spark: Any, plan: Any) -> bool:
    kind = str(plan.getClass().getSimpleName())
    if kind in AROUND:
        children = plan.children()
        return any(_writes(spark, children.apply(number)) for number in range(children.size()))
    if kind in NO_COMMANDS or _is_a(spark, plan, STATEMENT):
        return True
    return _is_a(spark, plan, COMMAND) and not _is_harmless(kind, plan)


def _counted(spark: Any, plan: Any, *, counts_inserts: bool) -> Iterator[TableName]:
    kind = str(plan.getClass().getSimpleName())
    children = plan.children()
    if kind in AROUND:
        for number in range(children.size()):
            yield from _counted(spark, children.apply(number), counts_inserts=counts_inserts)
    elif kind in OF_ONE_TABLE:
        yield from _named(spark, children.apply(0))
    elif kind == OF_A_DATABASE:
        yield from _all_in(spark, children.apply(0))
    elif kind == INSERT and counts_inserts:
        yield from _named(spark, plan.table())


def _named(spark: Any, relation: Any) -> Iterator[TableName]:
    """The table of a path, which the session completes."""
    *above, table = _path(relation) or ("",)
    schema = above.pop() if above else str(spark.catalog.currentDatabase())
    catalog = above.pop() if above else str(spark.catalog.currentCatalog())
    if table and not above and catalog_of(catalog) == SESSION_CATALOG:
        yield table_name(SESSION_CATALOG, schema, table)


def _all_in(spark: Any, namespace: Any) -> Iterator[TableName]:
    if str(namespace.getClass().getSimpleName()) == COMPUTED:
        return
    schema = ".".join(_path(namespace)) or spark.catalog.currentDatabase()
    for one in spark.catalog.listTables(schema):
        if one.tableType != "VIEW" and one.namespace and not one.isTemporary:
            yield table_name(SESSION_CATALOG, one.namespace[-1], one.name)


def _path(named: Any) -> list[str]:
    """The parts of a name; none where Spark computes it, or where it is the current schema."""
    if not str(named.getClass().getSimpleName()).startswith("Unresolved"):
        return []
    path = named.multipartIdentifier()
    return [str(path.apply(number)) for number in range(path.size())]


def _is_harmless(kind: str, command: Any) -> bool:
    if kind == OF_VIEWS:
        return PERSISTED not in str(command.viewType())
    if kind in OF_FUNCTIONS:
        return bool(command.isTemp())
    return kind in OF_SESSION or kind.startswith(READING)


def _is_a(spark: Any, plan: Any, name: str) -> bool:
    return bool(jvm.classes(spark).java.lang.Class.forName(name).isInstance(plan))
