"""What Spark's and a catalog's exceptions mean: a refusal by name, or an unknown outcome."""

import logging
import re

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException

from ..context import TableName
from ..errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from . import jvm
from .protocol import Engine

logger = logging.getLogger(__name__)


class NamespaceMissingError(RefusedError):
    """The namespace of the table is not there."""


WROTE_NOTHING = ("TASK_WRITE_FAILED", "WRITING_JOB_ABORTED")
"""Spark's conditions for a job that failed while it wrote, before anything was committed."""
JOB_FAILED = ("Job aborted due to stage failure", "at org.apache.spark.executor.Executor")
"""What Spark says of any job that failed; the job of a commit writes before it commits.

Spark Connect says only what a task raised, with the task's frames.
"""
DELTA_CONFLICT = re.compile(r"DELTA_(CONCURRENT_\w+|(METADATA|PROTOCOL)_CHANGED)")
"""Delta's conditions for a commit that it refused over another's."""
ANSWER_LOST = re.compile(r"TTransportException|SocketTimeoutException|Connection reset")
"""What Spark's client of a metastore says, as a refusal, of a call that may yet have its effect."""
CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\] ")
"""How the words of an error with a condition begin."""
NAMED_CLASS = re.compile(r"\(([\w.$]+)\) ")
"""How Spark Connect's errors begin where PySpark has no class for Java's."""
OF_CONNECTION = "SparkConnectGrpcException"
"""Spark Connect's class for errors of a connection, and for those without a class of their own."""
FRAMES = ("\n\tat ", "\n\nDriver stacktrace:", "\n\nJVM stacktrace:")
BY_NAME: dict[str, type[RefusedError]] = {
    "TABLE_OR_VIEW_ALREADY_EXISTS": EntryExistsError,
    "TABLE_ALREADY_EXISTS": EntryExistsError,
    "TABLE_OR_VIEW_NOT_FOUND": EntryMissingError,
    "TABLE_NOT_FOUND": EntryMissingError,
    "SCHEMA_NOT_FOUND": NamespaceMissingError,
    "TableAlreadyExistsException": EntryExistsError,
    "AlreadyExistsException": EntryExistsError,
    "NoSuchTableException": EntryMissingError,
    "CannotReplaceMissingTableException": EntryMissingError,
    "NoSuchNamespaceException": NamespaceMissingError,
    "CommitFailedException": EntryModifiedError,
}
"""Spark's conditions, and classes of Java's."""


def condition(error: Exception) -> str:
    """Spark's name for the error; empty if it has none.

    Spark Connect leaves the name out where the error's parameters are long; its words have it.
    """
    if not isinstance(error, PySparkException):
        return ""
    named = getattr(error, "getCondition", error.getErrorClass)  # Spark 3.5 has the older name only
    in_words = CONDITION.match(str(error))
    return str(named() or (in_words.group(1) if in_words else ""))


def java_class(error: Exception) -> str:
    """The simple name of the exception's class in Java; empty if it has none."""
    java = jvm.java_exception(error)
    if java is not None:
        return str(java.getClass().getSimpleName())
    named = NAMED_CLASS.match(str(error))
    return re.split(r"[.$]", named.group(1))[-1] if named else ""


def is_unanswered(error: Exception) -> bool:
    """True for what a session over a server raises where the server has not answered.

    It may have done what it was asked. Of a server that has answered, Spark Connect's client raises
    an error with a condition or a class of Java's.
    """
    if isinstance(error, OSError):
        return True
    has_name = condition(error) or java_class(error)
    return type(error).__name__ == OF_CONNECTION and not has_name


def _kind(error: Exception) -> type[MetastoreError]:
    name = condition(error).split(".")[0]
    if DELTA_CONFLICT.fullmatch(name):
        return EntryModifiedError
    kind = BY_NAME.get(name) or BY_NAME.get(java_class(error))
    if kind is not None:
        return kind
    if name in WROTE_NOTHING or any(words in str(error) for words in JOB_FAILED):
        return RefusedError
    answered = isinstance(error, AnalysisException) and not ANSWER_LOST.search(reason(error))
    return RefusedError if answered else MetastoreError


def reason(error: Exception) -> str:
    """The error's text without the JVM's stack frames."""
    text = str(error)
    if isinstance(error, Py4JJavaError):
        java = error.java_exception
        text = str(java.getMessage() or java.getClass().getName())
    for frames in FRAMES:
        text = text.split(frames)[0]
    return text


core_errors = jvm.core_errors(lambda error: (_kind(error), reason(error)))


def refresh(engine: Engine, published: TableName) -> None:
    """Forget what this session's caches hold of a table; it is published, whatever fails here."""
    try:
        with core_errors(f"refresh {published}"):
            engine.refresh(published)
    except MetastoreError as error:
        logger.warning("%s: this session may still show its old version: %s", published, error)
