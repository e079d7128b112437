"""The JVM behind a PySpark session; its objects have no Python types."""
# ruff: noqa: SLF001 (PySpark has no public way to its JVM)

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache, reduce
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ..context import TableName
from ..errors import MetastoreError

Meaning = Callable[[Exception], tuple[type[MetastoreError], str]]
"""The core's error for one of Spark's, and its words."""
GONE = (Py4JNetworkError, OSError)
"""What a call raises when the JVM has ended."""
FAILURES = (Py4JError, PySparkException, OSError)
"""What a call raises that Java refuses, or that finds no JVM or server any more.

PySpark makes exceptions of its own of some of Java's, whoever threw them (``IllegalArgument...``).
"""
ASKED_AT_ONCE = 1000
"""Tables in one question: databases behind a metastore limit their lists, some to so many."""
SEPARATOR = "\0"
"""Between two of Java's texts that cross over as one."""


def core_errors(meaning: Meaning) -> Callable[[str], AbstractContextManager[None]]:
    """Make a block that raises the core's errors; its argument completes "could not"."""

    @contextmanager
    def raised(action: str) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            kind, words = meaning(error)
            raise kind(f"could not {action}: {words}") from error

    return raised


def java_exception(error: Exception) -> Any:
    """What was raised in the JVM, behind an error of Py4J's or PySpark's; None if nothing was."""
    return getattr(error, "java_exception", None) or getattr(error, "_origin", None)


def classes(spark: SparkSession) -> Any:
    """Java's packages, as attributes."""
    return spark.sparkContext._jvm


@lru_cache
def member(packages: Any, path: str) -> Any:
    """A class, or one of its static methods; each part of the path is a call of the JVM, once."""
    return reduce(getattr, path.split("."), packages)


def context(spark: SparkSession) -> Any:
    """The Scala SparkContext."""
    return spark.sparkContext._jsc.sc()


def session(spark: SparkSession) -> Any:
    """The Java SparkSession."""
    return spark._jsparkSession


def companion(spark: SparkSession) -> Any:
    """The Scala companion object of the session's class, with what all sessions share."""
    session_class = spark._jsparkSession.getClass().getName()  # classic.SparkSession in Spark 4
    return getattr(member(classes(spark), f"{session_class}$"), "MODULE$")


def activate(spark: SparkSession) -> None:
    """Make the session the active one of this thread in the JVM: Spark looks settings up there."""
    companion(spark).setActiveSession(spark._jsparkSession)


def shared_state(spark: SparkSession) -> Any:
    """What all sessions of the context share: catalog and SQL status store."""
    return spark._jsparkSession.sharedState()


def session_catalog(spark: SparkSession) -> Any:
    """The session's own catalog, with its cache of resolved tables."""
    return spark._jsparkSession.sessionState().catalog()


@lru_cache(maxsize=1)
def _sessions(packages: Any) -> Any:
    """The sessions of this process that publish; the JVM forgets those that nobody uses."""
    weak = packages.java.util.WeakHashMap()
    return packages.java.util.Collections.synchronizedMap(weak)


def note_session(spark: SparkSession) -> None:
    """From now on ``forget_table`` concerns the session, too."""
    _sessions(classes(spark)).put(session(spark), True)


def forget_session(spark: SparkSession) -> None:
    """From now on nothing concerns the session."""
    _sessions(classes(spark)).remove(session(spark))


def forget_table(spark: SparkSession, own: Any, name: TableName) -> None:
    """Drop a table from the relation caches of this session and of every other that is noted.

    Each session remembers the location, and the files, of what it has read. ``own`` is the catalog
    of this session, which is nearly always the only one.
    """
    table, noted = identifier(spark, name), _sessions(classes(spark))
    own.invalidateCachedTable(table)
    for one in noted.keySet().toArray() if noted.size() > 1 else ():
        with suppress(Py4JError):  # it has ended
            one.sessionState().catalog().invalidateCachedTable(table)


def uncache_table(spark: SparkSession, cache: Any, name: TableName) -> None:
    """Drop what CACHE TABLE or ``cache()`` has kept of a table, and of what reads it."""
    parts = sequence(classes(spark), [name.catalog, name.database, name.table])
    of_session = spark._jsparkSession
    try:
        cache.uncacheTableOrView(of_session, parts, True, False)
    except Py4JJavaError:
        raise
    except Py4JError:  # before Spark 4.1 nobody could wait for it
        cache.uncacheTableOrView(of_session, parts, True)


@contextmanager
def quiet(packages: Any, logger: str) -> Iterator[None]:
    """Let a logger of the JVM say nothing for a while, where Log4j decides what is said."""
    log4j, before = packages.org.apache.logging.log4j, None
    with suppress(Py4JError):
        before = log4j.LogManager.getLogger(logger).getLevel()
        log4j.core.config.Configurator.setLevel(logger, log4j.Level.OFF)
    try:
        yield
    finally:
        with suppress(*FAILURES):
            log4j.core.config.Configurator.setLevel(logger, before)


def is_local(spark: Any) -> bool:
    """Whether Spark runs in this process's JVM, and not on a server."""
    return hasattr(spark, "_jsparkSession")


def described_tables(spark: SparkSession, database: str) -> list[tuple[dict[str, Any], str]]:
    """The entry of each table and view of the session catalog, and what Spark shows of it.

    SHOW TABLE EXTENDED shows the same, and asks the metastore for one after the other. It calls a
    column of type ``varchar(3)`` a string.

    Returns:
        Nothing if a table was dropped meanwhile, is hidden, or has the separator in its texts: then
        only the statement can tell.
    """
    catalog = session_catalog(spark)
    names = catalog.listTables(database, "*", False).grouped(ASKED_AT_ONCE)
    described: list[tuple[dict[str, Any], str]] = []
    while names.hasNext():
        asked = names.next()
        found = catalog.getTablesByName(asked)
        shown = str(found.mkString(SEPARATOR)).split(SEPARATOR)
        if not found.size() == asked.size() == len(shown):
            return []
        texts = (one.removeprefix("CatalogTable(\n").removesuffix("\n)") for one in shown)
        described += zip(as_json(spark, found), texts, strict=True)
    return described


def drop_views(spark: SparkSession, pattern: str) -> None:
    """Drop the session's own temporary views of a pattern, in which * is any text."""
    found = session_catalog(spark).listLocalTempViews(pattern)
    for number in range(found.size()):
        spark.catalog.dropTempView(str(found.apply(number).table()))


def identifier(spark: SparkSession, name: TableName) -> Any:
    """The name of one of the session catalog's tables."""
    return _identifier(classes(spark), name)


@lru_cache(maxsize=128)
def _identifier(packages: Any, name: TableName) -> Any:
    database = member(packages, "scala.Some")(name.database)
    return member(packages, "org.apache.spark.sql.catalyst.TableIdentifier")(name.table, database)


def hadoop_configuration(spark: SparkSession) -> Any:
    """Hadoop's configuration, with the credentials of object stores."""
    return spark.sparkContext._jsc.hadoopConfiguration()


def catalog_plugin(spark: SparkSession, name: str) -> Any:
    """A catalog as Spark has loaded it."""
    return spark._jsparkSession.sessionState().catalogManager().catalog(name)


def strings(spark: SparkSession, *values: str) -> Any:
    """A Java array of strings."""
    gateway: Any = spark.sparkContext._gateway
    found = gateway.new_array(classes(spark).java.lang.String, len(values))
    for number, value in enumerate(values):
        found[number] = value
    return found


def has_class(spark: SparkSession, name: str) -> bool:
    """True if a class is in Spark's own jars, or in those of ``spark.jars``."""
    utils = classes(spark).org.apache.spark.util.Utils
    return bool(utils.classIsLoadable(name))


def as_json(spark: SparkSession, value: Any) -> Any:
    """A value of Scala's as plain Python: it crosses over as one text, and not part by part."""
    return json.loads(str(_mapper(classes(spark)).writeValueAsString(value)))


@lru_cache(maxsize=1)
def _mapper(packages: Any) -> Any:
    scala = getattr(packages.com.fasterxml.jackson.module.scala, "DefaultScalaModule$")
    mapper = packages.com.fasterxml.jackson.databind.ObjectMapper()
    mapper.registerModule(getattr(scala, "MODULE$"))
    return mapper


def empty_map(packages: Any) -> Any:
    """An immutable Map of Scala's."""
    return packages.org.apache.spark.api.python.PythonUtils.toScalaMap({})


def sequence(packages: Any, values: Any) -> Any:
    """A Seq of Scala's, of a list of Python's or Java's."""
    return packages.org.apache.spark.api.python.PythonUtils.toSeq(values)


def each(sequence: Any) -> Iterator[Any]:
    """The values of a Seq of Scala's."""
    return map(sequence.apply, range(sequence.size()))
