"""dbt's connections on one Spark session: run, fetch, cancel, and Spark's errors as dbt's."""

import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import SpawnContext
from typing import TYPE_CHECKING, Any, cast

from dbt_common.clients.agate_helper import empty_table
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from pyspark.sql import Row

from ctas_spark import quoting, temporary
from ctas_spark.engines.clones import require_pinned_threads
from ctas_spark.engines.jvm import FAILURES
from ctas_spark.engines.protocol import (
    STOP_SECONDS,
    StoppableJob,
    WriteFigures,
)
from ctas_spark.engines.session import SessionJob
from ctas_spark.engines.start import START
from ctas_spark.engines.thrift.results import LostAnswerError
from ctas_spark.errors import JobCanceledError
from dbt.adapters.contracts.connection import (
    AdapterRequiredConfig,
    AdapterResponse,
    Connection,
    ConnectionState,
    LazyHandle,
)
from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.lines_of_errors import located
from dbt.adapters.ctas_spark.methods import METHODS, is_command, log_directory
from dbt.adapters.ctas_spark.model_build import PublicationResponse
from dbt.adapters.ctas_spark.node_state import RunningNode
from dbt.adapters.ctas_spark.progress import reported
from dbt.adapters.ctas_spark.statements import is_query, statements, tidy, with_aliases
from dbt.adapters.ctas_spark.termination import Termination
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.spark.connections import SparkConnectionManager, SparkConnectionWrapper

if TYPE_CHECKING:
    from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials

ANSWER_LOST = (
    "the server's answer to the statement that stages the version was lost, but the version is "
    "there; its files are counted as ever"
)
_numbers = itertools.count(1)


class SessionHandle(SparkConnectionWrapper):
    """One thread's use of the session, and its own cursor, as dbt-spark's wrappers are.

    Statements run in the handle's current job, which a cancel stops for good: later statements are
    refused. A commit that is under way is waited for: nobody could say what became of it.
    """

    def __init__(self, spark: Any, job: type[StoppableJob] = SessionJob) -> None:
        self.of_run = self.spark = spark
        self.published = False
        self._job_class = job
        self._canceled = threading.Event()
        self._deciding = threading.Lock()
        self.job: StoppableJob = self.new_job(f"ctas-spark/{os.getpid()}/{next(_numbers)}")
        self._frame: Any = None

    def new_job(self, group: str, stop_seconds: float = STOP_SECONDS) -> StoppableJob:
        """Make the job that later statements belong to."""
        self.published = False
        self.job = self._job_class(self.spark, group, self._canceled, stop_seconds)
        return self.job

    def use(self, spark: Any) -> None:
        """Run what follows in another session of the same Spark."""
        self.spark = self.job.spark = spark
        self._frame = None

    def decide(self, commit: Callable[[], bool]) -> bool:
        """Run a model's commit, which no cancel breaks off; True if it published the model."""
        with self._deciding:
            self.published = commit()
        return self.published

    def cursor(self) -> "SessionHandle":
        return self

    @property
    def canceled(self) -> bool:
        return self._canceled.is_set()

    @property
    def is_deciding(self) -> bool:
        return self._deciding.locked()

    def give_up(self) -> None:
        """Refuse what has not begun yet; safe in a signal handler."""
        self._canceled.set()

    def cancel(self) -> None:
        """Stop this handle's jobs and no others, after a commit that is under way."""
        self.give_up()
        with self._deciding, suppress(*FAILURES):  # Spark has ended
            self.job.cancel()

    def close(self) -> None:
        """Forget the last result; the session goes on."""
        self._frame = None

    def rollback(self, *_args: Any, **_kwargs: Any) -> None:
        """Nothing: Spark has no transactions, and a staged table is aborted by its model."""

    def execute(self, sql: str, bindings: list[Any] | None = None) -> None:
        """Run one statement; commands run here, queries when they are fetched."""
        if self.canceled:
            raise JobCanceledError("the run was cancelled; no further statement is run")
        text = sql.strip().removesuffix(";")
        if bindings is not None:
            text = text % tuple(quoting.literal(binding) for binding in bindings)
        self._frame = self.job.run(text)

    def written_by(self, sql: str) -> WriteFigures:
        """What this statement, the last one, has written."""
        return self.job.written_by(sql, self._frame)

    @property
    def frame(self) -> Any:
        """The last statement as a DataFrame, which is not computed yet."""
        return self._frame

    def complete(self) -> None:
        """Compute the last statement, a query, without fetching a row: it may be a guard."""
        self.job.complete(self._frame)

    def fetchall(self) -> list[Row]:
        return list(self._frame.collect())

    def fetchmany(self, limit: int) -> list[Row]:
        """The first ``limit`` rows, without computing the others."""
        return list(self._frame.take(limit))

    @property
    def description(self) -> list[tuple[str, Any, None, None, None, None, bool]]:
        """Column names and Spark types of the last statement (PEP 249)."""
        return [
            (field.name, field.dataType.simpleString(), None, None, None, None, field.nullable)
            for field in self._frame.schema.fields
        ]


class CtasSparkConnectionManager(SparkConnectionManager):
    """Opens handles on the process's session; translates errors once, here."""

    TYPE = "ctas_spark"

    def __init__(self, profile: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(profile, mp_context)
        self._termination = Termination(START.end, self._give_up)
        self._canceled_by: int | None = None
        self.running = RunningNode()
        self.instead: Callable[[Any, str], str] = lambda _, sql: sql

    def set_connection_name(self, name: str | None = None) -> Connection:
        self._termination.watch()  # dbt's main thread takes a connection before any model runs
        connection = super().set_connection_name(name)
        if connection.state != ConnectionState.OPEN:
            connection.handle = LazyHandle(self._open_unless_canceled)
        return connection

    def cleanup_all(self) -> None:
        super().cleanup_all()
        is_reported = not isinstance(sys.exc_info()[1], (DbtRuntimeError, KeyboardInterrupt))
        if is_reported:  # otherwise dbt has still to print it, and calls this once more after that
            self._termination.restore()

    def cancel_open(self) -> list[str]:
        """Cancel the models of all other threads; their names, without those published already."""
        own = self.get_if_exists()
        self._canceled_by = threading.get_ident()
        with self.lock:
            others = [one for one in self.thread_connections.values() if one is not own]
        return [one.name for one in others if self._canceled(one) and one.name is not None]

    @property
    def was_canceled(self) -> bool:
        """True once a signal, or a failure with --fail-fast, cancelled the run."""
        return self._canceled_by is not None

    @property
    def is_canceled_here(self) -> bool:
        """True if this thread's model was cancelled; nothing is opened to know that."""
        own = self.get_if_exists()
        return own is not None and own.state == ConnectionState.OPEN and own.handle.canceled

    def _canceled(self, connection: Connection) -> bool:
        if connection.state != ConnectionState.OPEN:
            return False  # its last model has ended, or the next one will be refused
        handle: SessionHandle = connection.handle
        if handle.is_deciding:
            logger.info(
                f"{connection.name}: its commit is under way; the cancel waits for it to end"
            )
        handle.cancel()
        return not handle.published

    def _open_unless_canceled(self, connection: Connection) -> Connection:
        """Cancel a model that begins while others are cancelled.

        The thread that cancels goes on: with --fail-fast it runs on-run-end hooks.
        """
        opened = self.open(connection)
        if self._canceled_by not in (None, threading.get_ident()):
            opened.handle.give_up()
        return opened

    def _give_up(self) -> None:
        self._canceled_by = threading.get_ident()
        for connection in list(self.thread_connections.values()):
            if connection.state == ConnectionState.OPEN:
                connection.handle.give_up()

    @contextmanager
    def exception_handler(self, sql: str) -> Iterator[None]:
        """Spark's own words to the user; every frame to dbt.log."""
        try:
            yield
        except DbtRuntimeError:
            raise
        except Exception as error:
            hide = cast("CtasSparkCredentials", self.profile.credentials).hide_secrets
            logger.debug(hide(f"Error while running:\n{sql}\n{dbt_edge.full_text(error)}"))
            said = located(dbt_edge.message(error), sql, self.running.state.node, self.profile)
            raise DbtDatabaseError(hide(said)) from error

    def add_query(self, sql: str, *others: Any, **named: Any) -> tuple[Connection, Any]:
        """Run a statement, or what a preview runs instead; a query runs when it is fetched."""
        sql = with_aliases(tidy(sql), temporary.generated_names())
        with self.exception_handler(sql):
            sql = self.instead(self.get_thread_connection().handle.spark, sql)
        return super().add_query(sql, *others, **named)

    def execute(self, sql: str, *others: Any, **named: Any) -> tuple[AdapterResponse, Any]:
        """Run and fetch; a query of which nothing is fetched is computed all the same."""
        if is_command("show"):  # dbt makes one text of a model's sql_header and its query
            *header, sql = statements(tidy(sql)) or [sql]
            for one in header:
                self.execute(one)
        with self.exception_handler(self._add_query_comment(sql)):
            connection = self.get_thread_connection()
            quoting.refuse_to_keep(sql)
            if (session := self.running.state.session) is not None:
                session.note(connection.handle, sql)
            with reported(str(connection.name), connection.handle.job):
                try:
                    response, rows = super().execute(sql, *others, **named)
                except DbtDatabaseError as error:
                    if not self._was_staged(sql, error.__cause__):
                        raise
                    return AdapterResponse(_message="OK"), empty_table()  # type: ignore[no-untyped-call]
                if not named.get("fetch") and is_query(sql):
                    connection.handle.complete()
        if (state := self.running.state).counts:
            written = self.get_thread_connection().handle.written_by(sql)
            level = state.addition.level
            response = PublicationResponse.of_write(str(response), written, level)
        return response, rows

    def _was_staged(self, sql: str, cause: BaseException | None) -> bool:
        """Whether the statement's answer is all that was lost: its version is there."""
        build = self.running.state.build
        if build is None or not isinstance(cause, LostAnswerError) or not build.was_staged_by(sql):
            return False
        logger.warning(f"{build.staged.target}: {ANSWER_LOST}: {cause}")
        return True

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        """Give the connection a handle; the first one starts Spark."""
        if connection.state == ConnectionState.OPEN:
            return connection
        credentials: CtasSparkCredentials = connection.credentials
        method = METHODS[credentials.method]
        try:
            spark = method.start(credentials, log_directory())
            quoting.require_escapes(spark)
            require_pinned_threads(spark)
        except Exception as error:
            hide = credentials.hide_secrets
            logger.debug(hide(dbt_edge.full_text(error)))
            connection.handle, connection.state = None, ConnectionState.FAIL
            raise FailedToConnectError(hide(method.start_failure(error))) from error
        connection.handle = SessionHandle(spark, method.job)
        connection.state = ConnectionState.OPEN
        return connection
