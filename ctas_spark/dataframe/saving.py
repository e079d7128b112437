"""One publication of a DataFrame or a query, step by step, which Ctrl-C can end at any moment."""

import logging
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark import InheritableThread

from .. import quoting
from ..catalogs.kinds import Catalogs
from ..context import TableName
from ..engines import jvm
from ..errors import JobCanceledError
from ..publish import messages
from ..publish.catalog import StagingCatalog
from ..publish.outcome import Publication, StepTimer
from ..publish.staged_table import StagedTable
from ..publish.version import Outcome
from .python_words import in_python_words
from .session_table import SessionTable, has_jvm

if TYPE_CHECKING:
    from ..engines.protocol import StoppableJob

logger = logging.getLogger(__name__)
R = TypeVar("R")


class Saving:
    """One publication; ``source`` is a DataFrame or the text of a query.

    Its steps are taken one after the other; only ``cancel`` comes from another thread meanwhile.
    """

    catalog: StagingCatalog
    staged: StagedTable[Any]

    def __init__(self, table: SessionTable, source: Any) -> None:
        self.table = table
        self._source = source
        self._timer = StepTimer()
        self._job: StoppableJob | None = None
        self._canceled = threading.Event()
        self._deciding = threading.Lock()
        self._resources = ExitStack()

    @property
    def target(self) -> TableName:
        return self.table.plan.context.target

    @property
    def publication(self) -> Publication:
        """What became of it, as far as that is decided."""
        return Publication.of(self.staged, self.catalog, self._timer)

    def publish(self) -> Publication:
        """Take all steps, in the calling thread."""
        self.prepare()
        return self.finish()

    def prepare(self) -> TableName | None:
        """Begin, stage and verify; what is staged, or None if the table that exists is kept."""
        with self.aborting():
            catalogs = self._resources.enter_context(self.table.opened())
            return self.stage() if self.begin(catalogs) else None

    def finish(self) -> Publication:
        """Publish what is staged, if anything is, and look after the versions before."""
        with self.aborting():
            if self.staged.outcome is None:
                self.commit()
                self.clean_up()
            publication = self.publication
        self.close()
        return publication

    def begin(self, catalogs: Catalogs) -> bool:
        """Decide the level, and take what the table is now as the base."""
        context = self.table.plan.context
        # Spark cancels whatever a group starts after it was cancelled: no two calls share one
        job = self.table.job(f"save_as {context.target} {uuid.uuid4().hex}", self._canceled)
        job.attach()
        self._job = job
        with messages.before_any_job(context.target):
            self.catalog = catalogs.catalog_for(context)
            plan = self.catalog.plan(context, job)
            is_planned = not isinstance(self._source, str)
            plan = replace(plan, observers=(self._timer,), is_planned=is_planned)
            self.staged = plan.begin()
        return self.staged.outcome is None

    def stage(self) -> TableName:
        """Run the Spark job; what can be read where."""
        self._query = self._source if isinstance(self._source, str) else self._view()
        self._run(self.staged.statement(self._query))
        return self.staged.verify()

    def commit(self) -> None:
        """Publish what is staged; a cancel waits, because nobody could say what became of it."""
        with self._deciding:
            self.staged.commit()
        if self.staged.outcome is Outcome.COMMITTED:
            if fill := self.staged.fill_statement(self._query):
                self._run(fill)
            self.staged.settle()

    def clean_up(self) -> None:
        """Delete old versions by the table's rules; trouble is a warning, and the next call's."""
        if self.staged.outcome is not Outcome.COMMITTED or not self.table.cleans_up:
            return
        context, rules = self.table.plan.context, self.table.plan.retention
        try:
            self.catalog.clean_ups([(context, rules)])(context, rules)
        except Exception as error:  # noqa: BLE001 (whatever it is, the table is published)
            logger.warning("%s: old versions were not deleted this time: %s", self.target, error)

    def cancel(self) -> None:
        """From another thread: end the job, after a commit that is under way."""
        self._canceled.set()
        with self._deciding, suppress(*jvm.FAILURES):
            if self._job is not None:
                self._job.cancel()
            self._report_if_published()

    @contextmanager
    def aborting(self) -> Iterator[None]:
        """Whatever ends the block early leaves the table as it was, unless it was published."""
        try:
            yield
        except BaseException as error:
            self.abort(error)
            raise

    def abort(self, cause: BaseException) -> None:
        """Remove what was staged, and let go of the session; never raises."""
        staged: StagedTable[Any] | None = getattr(self, "staged", None)
        if staged is not None:
            why = "cancelled" if self._canceled.is_set() else f"failed: {type(cause).__name__}"
            staged.abort(why)
            if not self._canceled.is_set():  # else it was told already
                self._report_if_published()
        self.close()

    def close(self) -> None:
        """Let go of what was taken from the session."""
        with suppress(*jvm.FAILURES):
            self._resources.close()

    def _report_if_published(self) -> None:
        """An exception alone looks as if the old version were still there."""
        staged: StagedTable[Any] | None = getattr(self, "staged", None)
        if staged is not None and staged.outcome is Outcome.COMMITTED:
            logger.warning(
                "%s: it had already been published, as version %s", self.target, staged.version
            )

    def _run(self, statement: str) -> None:
        if self._canceled.is_set() or self._job is None:
            raise JobCanceledError("the run was stopped", table=self.target)
        self._job.attach()
        self.table.spark.sql(statement)

    def _view(self) -> str:
        """A query of the DataFrame, by a temporary view of a name that nobody else has."""
        name = f"ctas_spark_{uuid.uuid4().hex}"
        self._source.createTempView(name)
        self._resources.callback(_drop_view, self.table.spark, name)
        return f"SELECT * FROM {quoting.identifier(name)}"  # noqa: S608 (a name of our own)


def _drop_view(spark: Any, name: str) -> None:
    """Drop a temporary view; PySpark's own call also empties the cache of what it shows."""
    catalog = jvm.session_catalog(spark) if has_jvm(spark) else spark.catalog
    catalog.dropTempView(name)


def in_a_thread(spark: Any, work: Callable[[], R], give_up: Callable[[], None]) -> R:
    """Work in a thread of its own; what ends the wait for it is told to it by ``give_up``.

    Ctrl-C in the middle of a call to the JVM would leave its answer to the next call. And a
    thread's job group is its own: the caller's stays.
    """
    done: Future[R] = Future()

    def run() -> None:
        try:
            if has_jvm(spark):
                jvm.activate(spark)
            with in_python_words():
                done.set_result(work())
        except BaseException as error:  # noqa: BLE001 (the caller raises it)
            done.set_exception(error)

    thread = (InheritableThread if has_jvm(spark) else threading.Thread)(target=run)
    try:
        thread.start()
        return done.result()
    except BaseException:
        if not done.done():
            give_up()
            if thread.is_alive():
                thread.join()
        raise
