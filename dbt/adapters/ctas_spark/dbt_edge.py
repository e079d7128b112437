"""What dbt gets from the core: its log, and errors in words that a user can act on."""

import logging
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import pyspark
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Formatting, Note
from dbt_common.exceptions import CompilationError, DbtDatabaseError, DbtRuntimeError
from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import SparkSession

from ctas_spark.engines import class_archive, embedded, jvm
from ctas_spark.engines.thrift.results import LostAnswerError, ServerError
from ctas_spark.errors import (
    AnswerLostError,
    ConfigurationError,
    JobCanceledError,
    MetastoreNotReachedError,
    SparkEndedError,
    SparkNotStartedError,
    StagingError,
    StorageError,
    without_frames,
)
from ctas_spark.publish.marker import VERSION_ID
from ctas_spark.wire import with_likely_cause
from dbt.adapters.base.meta import available
from dbt.adapters.events.logging import AdapterLogger


class _Logger(AdapterLogger):
    """dbt's log; the frames of a Java stack are only for ``debug``, and so for the log file."""

    def info(self, msg: object, *args: object) -> None:
        super().info(without_frames(str(msg)), *args)

    def warning(self, msg: object, *args: object) -> None:
        super().warning(without_frames(str(msg)), *args)


logger = _Logger("CtasSpark")

P = ParamSpec("P")
R = TypeVar("R")
RUNS_ON = {"3": (8, 11, 17), "4": (17, 21, 25), "4.0": (17, 21), "4.1": (17, 21)}
"""Javas by PySpark; Hadoop 3.5, which runs on 25, comes with 4.2."""
INSTALL = "apt-get install openjdk-17-jre-headless, or set JAVA_HOME to a Java of that version"
SEE_LOGS = "check spark_conf of the profile; spark.log, next to dbt.log, says more"
FRAMES = re.compile(
    r"\n\nJVM stacktrace:|\nThis stopped SparkContext was created at:|\n=== Streaming Query"
)
RAISED = re.compile(
    r"\[USER_RAISED_EXCEPTION\] (\[[A-Z_]+\] .*?)(?: SQLSTATE: P0001)?$", re.MULTILINE
)
"""What a query of this adapter's raises, in Spark's words."""
NAME_OF_STAGED = re.compile(
    rf"(?:(?:`[^`]+`|\b\w+)\.)+(`?)(\w+?)__(?:stage__|ctas_)?{VERSION_ID.pattern}\1"
)
CAUSED_BY = "Caused by: "
PLAN = re.compile(r";\s*\n(?='?[A-Z]\w+)")
"""Where the words of an analysis end and its plan begins."""
JAVA_CLASS = re.compile(
    r"(\()?\b(?:[a-z]\w*\.)+(?:\w+\$)?([A-Z]\w*?|)(?:Exception|Error)(?(1)\) |: )(?=(\[)?\S)"
)
"""An exception's class before its words, as Java writes it; Spark Connect puts it in brackets."""
TELLS_NOTHING = (
    "",
    "Connect",
    "IO",
    "Runtime",
    "Spark",
    "Hive",
    "HiveSQL",
    "IllegalArgument",
    "IllegalState",
)
KNOWN_BY_CLASS = ("NoSuchNamespace", "NoSuchDatabase", "NoSuchTable")
"""dbt-spark looks for these classes in the text of an error."""
NO_METASTORE = re.compile(
    r"Could not connect to meta store using any of the URIs provided\. "
    r"Most recent failure: (?:[\w.]+\.TTransportException: )?(.*)"
)
METASTORE_BROKE_OFF = re.compile(
    r"\borg\.apache\.thrift\.transport\.TTransportException\b(?:: (?:java[\w.]+: )?(.*))?"
)
METASTORE_URIS = "hive.metastore.uris"
NO_DIRECTORY = "Unable to create database path"
HINTS_OF_DBT_SPARK = {"'iceberg' or 'hudi'": "'iceberg'", "libsvm, hudi": "libsvm"}
NOT_OF_DBT = (StagingError, Py4JError, PySparkException, ConnectionError)
CUT_OFF = "its last statement was cancelled; what earlier statements did remains"
"""What is left of a node that is not published as a version."""
MOST_LINES = 25
LIBRARY = "ctas_spark"
JVM_ENDED = "Spark's JVM has ended: it was killed or ran out of memory"


def complaint(spark_version: str) -> str | None:
    """Why Spark can't start on the Java that its own scripts would choose; None if it can."""
    java = class_archive.java_of_spark()
    major, minor, *_ = spark_version.split(".")
    fitting = RUNS_ON.get(f"{major}.{minor}") or RUNS_ON.get(major, ())
    needed = f"PySpark {spark_version} needs {_one_of(fitting)}"
    if java is None:
        home = os.environ.get("JAVA_HOME")
        where = f"there is none in JAVA_HOME, {home}" if home else "there is none on PATH"
        return f"no Java was found ({where}); {needed}"
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 (the one that Spark itself would run)
    found = re.search(r'version "(?:1\.)?(\d+)', shown.stderr)
    if found and fitting and int(found[1]) not in fitting:
        return f"{java} is Java {found[1]}; {needed}"
    return None


def _one_of(javas: tuple[int, ...]) -> str:
    *others, last = map(str, javas or ("another",))
    return f"{', '.join(others)} or {last}" if others else last


def message(error: BaseException) -> str:
    """The error without JVM frames; the innermost cause where Spark only says "job aborted"."""
    if known := _recognized(error):
        return in_words(str(known))
    words = with_names_of_targets(RAISED.sub(r"\1", in_words(_own_words(error))))
    kept = [line for line in without_frames(words).splitlines() if line.strip()]
    return "\n".join(kept[:MOST_LINES]) or type(error).__name__


def with_names_of_targets(text: str) -> str:
    """The text with a table's own name where it has that of its staged version."""
    return NAME_OF_STAGED.sub(r"\1\2\1", text)


def in_words(text: str) -> str:
    """The text with words for Java's classes of exceptions, whose own names are in the logs."""
    return JAVA_CLASS.sub(_words_for, text)


def _words_for(java_class: re.Match[str]) -> str:
    """None if they would add nothing, as before one of Spark's conditions."""
    name, condition = java_class[2], java_class[3]
    if name in KNOWN_BY_CLASS:
        return f"{name}Exception: "
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return "" if condition or name in TELLS_NOTHING else f"{words}: "


def full_text(error: BaseException) -> str:
    """Everything that is known of the error, frames included."""
    if isinstance(error, Py4JJavaError):
        try:
            return f"{error}"  # Java's words are fetched from the JVM, which may have ended since
        except jvm.GONE:
            return JVM_ENDED
    trace = getattr(error, "_stackTrace", None) or getattr(error, "_stacktrace", None)
    return f"{error}\n{trace}" if trace else str(error)


def start_failure(error: BaseException) -> str:
    """Why Spark did not start in this process."""
    about_java = None if isinstance(error, JobCanceledError) else complaint(pyspark.__version__)
    if about_java is None and _recognized(error):
        return message(error)
    if about_java is None and (found := METASTORE_BROKE_OFF.search(full_text(error))):
        return str(_not_reached(with_likely_cause(found[1] or "it closed the connection")))
    what = f"Spark could not start: {about_java or message(error)}"
    remedy = INSTALL if about_java else SEE_LOGS
    return str(SparkNotStartedError(what, left="nothing was started", remedy=remedy))


def _recognized(error: BaseException) -> StagingError | None:
    """The error as one of ours, if its meaning is known."""
    if isinstance(error, StagingError):
        return error
    text = full_text(error)
    if isinstance(error, LostAnswerError):
        return AnswerLostError(
            text,
            left="the statement may have run, or may still be running",
            remedy="check that the server is running and can be reached, then run dbt again",
        )
    if isinstance(error, jvm.GONE) or _met_the_end(error):
        return SparkEndedError(
            JVM_ENDED,
            remedy="see the end of spark-console.log, next to dbt.log, or what spark-submit has "
            "printed; to give it more memory, set spark.driver.memory in spark_conf of the "
            "profile, or by spark-submit",
        )
    if found := NO_METASTORE.search(text):
        return _not_reached(found.group(1))
    return embedded.explained(text) or (_not_writable(text) if NO_DIRECTORY in text else None)


def _met_the_end(error: BaseException | None) -> bool:
    """True if the JVM ended while this error, or the one that it was to translate, was made."""
    while isinstance(error, Py4JError):
        if isinstance(error, Py4JNetworkError) or full_text(error) == JVM_ENDED:
            return True
        error = error.__context__
    return False


def _own_words(error: BaseException) -> str:
    """What stands before the frames, and the innermost cause if that says more."""
    text = FRAMES.split(str(error), maxsplit=1)[0]
    if isinstance(error, AnalysisException) and not isinstance(error, ParseException):
        text = PLAN.split(text, maxsplit=1)[0]
    if not isinstance(error, (ServerError, Py4JJavaError)):
        return text
    first = text.split("\n\tat ", maxsplit=1)[0].split("\n: ", maxsplit=1)[-1].rstrip()
    causes = [line for line in text.splitlines() if line.startswith(CAUSED_BY)]
    said = causes[-1].removeprefix(CAUSED_BY).split(": ", 1)[-1] if causes else ""
    return first if said in first else f"{first}\n{causes[-1]}"


def _not_reached(reason: str) -> MetastoreNotReachedError:
    spark = SparkSession._instantiatedSession  # noqa: SLF001 (another thread may have started it)
    uris = jvm.hadoop_configuration(spark).get(METASTORE_URIS) if spark else None
    return MetastoreNotReachedError(
        f"no Hive metastore answers at {uris or METASTORE_URIS}: {reason}",
        left="nothing was changed",
        remedy=f"check host and port (spark.hadoop.{METASTORE_URIS} in spark_conf of the profile), "
        "that the metastore is running, and that this machine can reach it",
    )


def _not_writable(text: str) -> StorageError:
    what = text[text.index(NO_DIRECTORY) :].splitlines()[0].rstrip(")")
    return StorageError(
        f"the warehouse is not writable: {what}",
        left="nothing was created",
        remedy="set spark.sql.warehouse.dir in spark_conf of the profile to a directory that you "
        "may write",
    )


@contextmanager
def dbt_errors(hide_secrets: Callable[[str], str]) -> Iterator[None]:
    """Raise the core's errors and Spark's as dbt's, with the same text but without secrets.

    A model's wrong configuration is what dbt calls a compilation error: nothing ran.
    """
    try:
        yield
    except NOT_OF_DBT as error:
        logger.debug(hide_secrets(full_text(error)))
        raise _kind_in_dbt(error)(hide_secrets(message(error))) from error


def as_dbt_errors(method: Callable[P, R]) -> Callable[P, R]:
    """A method of the adapter whose errors are dbt's."""

    @wraps(method)
    def translated(*args: P.args, **kwargs: P.kwargs) -> R:
        with dbt_errors(cast("Any", args[0]).hide_secrets):
            return method(*args, **kwargs)

    return translated


class Offered:
    """A component as macros see it: its methods, whose errors are dbt's."""

    def __init__(self, component: object, hide_secrets: Callable[[str], str]) -> None:
        self._component = component
        self._hide_secrets = hide_secrets

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._component, name)

        @wraps(method)
        def translated(*args: Any, **kwargs: Any) -> Any:
            with dbt_errors(self._hide_secrets):
                return method(*args, **kwargs)

        return translated


class _WrongConfigurationError(CompilationError):
    def process_stack(self) -> list[str]:
        """Without the macros that dbt adds to a compilation error: they are not the user's."""
        return []


def _kind_in_dbt(error: Exception) -> type[DbtRuntimeError]:
    if isinstance(error, ConfigurationError):
        return _WrongConfigurationError
    return DbtRuntimeError if isinstance(error, StagingError) else DbtDatabaseError


def for_macros(method: Callable[P, R]) -> Callable[P, R]:
    """A method of the adapter that a macro calls."""
    return cast("Callable[P, R]", available(as_dbt_errors(method)))


def run_stopped() -> DbtRuntimeError:
    """Ctrl-C or SIGTERM as an error of dbt's: of any other, dbt prints the traceback."""
    left = (
        "published models stay published; no other table was changed, unless a line above says so"
    )
    return DbtRuntimeError(str(JobCanceledError("the run was stopped", left=left)))


def add_to(error: BaseException, text: str) -> None:
    """Say more in one of dbt's errors that is on its way to the user."""
    if isinstance(error, DbtRuntimeError):
        error.msg = f"{error.msg}\n  {text}"


def say(text: str) -> None:
    """Print lines as dbt does, after an empty one; ``--quiet`` hides them."""
    fire_event(Formatting(msg=""))
    fire_event(Note(msg=text))


def forget_hudi(error: BaseException | None) -> None:
    """Leave Hudi, which was never tried here, out of what dbt-spark tells its user to use."""
    if isinstance(error, CompilationError):
        for named, ours in HINTS_OF_DBT_SPARK.items():
            error.msg = error.msg.replace(named, ours)


class _DbtHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            logger.warning(record.getMessage())
        if record.levelno < logging.WARNING or record.exc_info:
            logger.debug(self.format(record))


def _not_py4js(record: logging.LogRecord) -> bool:
    """Py4J logs a lost JVM, with its frames, to the root logger, and so to the terminal."""
    return Path(record.pathname).parent.name != "py4j"


def log_to_dbt() -> None:
    """Send the log of the library and of the adapter to dbt, once in a process."""
    for package in map(logging.getLogger, (LIBRARY, __package__)):
        if not any(isinstance(handler, _DbtHandler) for handler in package.handlers):
            package.addHandler(_DbtHandler())
            package.setLevel(logging.INFO)
            package.propagate = False
            logging.getLogger().addFilter(_not_py4js)
