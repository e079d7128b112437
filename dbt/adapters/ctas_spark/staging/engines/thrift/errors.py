"""What a Thrift server says of a statement that failed, as PySpark's exceptions."""

import re

from pyspark.errors import AnalysisException, PySparkException

from dbt.adapters.ctas_spark.staging.errors import SparkEndedError

WRAPPED = re.compile(r"^\*?(?:[\w.$]+\.)?HiveSQLException: ?(?:Error running query: )?")
NAMED = re.compile(r"\[([A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\] ?")
CLASS = re.compile(r"(?:\[[A-Z0-9_.]+\] )?([a-z][\w.$]*\.[\w$]+): ?")
ANALYSIS = ("AnalysisException", "ParseException")
ENDED = "OPERATION_CANCELED"
"""Spark Connect's condition for the same."""


class ServerError(PySparkException):
    """The server's words; ``getCondition`` is Spark's name for the error, or empty.

    It begins with Java's class as PySpark's own do where Python has none of that name.
    """

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self._text = text
        self._name = name

    def __str__(self) -> str:
        return self._text

    def getCondition(self) -> str:  # noqa: N802 (PySpark's)
        """Spark's name for the error; empty if it has none."""
        return self._name

    def getErrorClass(self) -> str:  # noqa: N802 (PySpark 3.5's)
        """The older name of the same."""
        return self._name


class RefusedStatementError(ServerError, AnalysisException):
    """The statement was refused before anything of it ran."""


class LostAnswerError(ConnectionError):
    """There is no answer: the server may have done what it was asked, or not."""


def failed(said: str) -> ServerError:
    """The error of a statement, from the text of its status: Java's words, causes and frames."""
    text = WRAPPED.sub("", said.lstrip("*"), count=1)
    name = _found(NAMED.match(text))
    java = CLASS.match(text)
    words = text if java is None else text[java.end() :]
    kind = _found(java)
    if kind.rpartition(".")[2].endswith(ANALYSIS):
        return RefusedStatementError(words, name)
    return ServerError(words if name or not kind else f"({kind}) {words}", name)


def ended(state: str) -> ServerError:
    """The error of a statement that the server ended without words: it was cancelled, or late."""
    return ServerError(f"[{ENDED}] the server has ended the statement ({state})", ENDED)


def no_session() -> ServerError:
    """The error of a statement that was not begun."""
    told = SparkEndedError(
        "the session on the Thrift server has ended: the connection that opened it was lost, the "
        "server was started anew, or host and port of the profile lead to several servers",
        left="the statement was not run",
        remedy="run dbt again",
    )
    return ServerError(str(told), told.name)


def _found(match: "re.Match[str] | None") -> str:
    return match.group(1) if match is not None else ""
