"""A run's use of a warm Spark: its own session on the shared context, until the run ends."""
# ruff: noqa: SLF001 (PySpark keeps its JVM in attributes without a public name)

import fcntl
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from ..engines import jvm
from ..engines.sharing import Sharing
from ..errors import MetastoreInUseError
from . import sockets
from .needs import Needs

SWITCH, OFF = "CTAS_SPARK_WARM", "off"
ADDRESS = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")
"""The variables by which PySpark uses a JVM that runs already."""
COMMAND = "dbt run-operation ctas_warm_spark"
STOP_COMMAND = f"{COMMAND} --args '{{stop: true}}'"


class Attached(Sharing):
    """The warm Spark that this process uses, if it uses one."""

    def __init__(self) -> None:
        super().__init__()
        self._visit: sockets.Visit | None = None
        self._answer: sockets.Message = {}

    def session(
        self, complete: Mapping[str, str], profile: Mapping[str, str], say: Callable[[str], None]
    ) -> Any:
        """This run's session in a warm Spark; None if there is none that fits.

        Raises:
            MetastoreInUseError: one that does not fit has this run's embedded metastore open.
        """
        if os.environ.get(SWITCH, "").lower() == OFF:
            return None
        run = Needs.of(complete, profile)
        if (found := find(run, say)) is None:
            return None
        visit, answer = found
        say(f"Using {named(visit)}; its log is {visit.greeting['log']}")
        return self.attach(run, visit, answer)

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Hold a name among all runs that use the warm Spark; the kernel frees a dead run's."""
        if self._visit is None:
            yield
            return
        locks = self._visit.path.with_suffix(sockets.LOCKS)
        locks.mkdir(mode=sockets.CLOSED_TO_OTHERS, exist_ok=True)
        with (locks / hashlib.sha256(name.encode()).hexdigest()).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def attach(self, run: Needs, visit: sockets.Visit, answer: sockets.Message) -> Any:
        """The run's session: settings, temporary views and relation cache are its own."""
        self._visit, self._answer = visit, answer
        self._forget_threads()
        try:
            with ThreadPoolExecutor(1) as thread:  # in the main one PySpark takes SIGINT
                session = thread.submit(_session, answer).result()
            for name in answer["set"]:
                _set(session.conf, name, run.settings.get(name))
        except BaseException:
            self.detach()
            raise
        return session

    def detach(self) -> None:
        """The run ends; the warm Spark goes on, and this process may look for one again."""
        visit, self._visit = self._visit, None
        if visit is None:
            return
        context: Any = SparkContext._active_spark_context
        gateway: Any = SparkContext._gateway
        if context is not None:
            context._accumulatorServer.shutdown()
        if gateway is not None:
            gateway._gateway_client.close()  # shutdown() would end the JVM
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None
        visit.close()

    def mark(self, spark: Any) -> None:
        """Make what this thread starts in the JVM recognizable as work of this run.

        The warm Spark cancels it if this process dies.
        """
        if self._visit is None:
            return
        tag = self._answer["tag"]
        spark.sparkContext.addJobTag(tag)
        thread = jvm.member(jvm.classes(spark), "java.lang.Thread").currentThread()
        thread.setName(f"{tag} {threading.current_thread().name}")
        jvm.activate(spark)

    @property
    def slot(self) -> int:
        return int(self._answer.get("slot", 0))


ATTACHED = Attached()


def find(run: Needs, say: Callable[[str], None]) -> tuple[sockets.Visit, sockets.Message] | None:
    """A warm Spark that has let this run in, with what it told it; raises what attaching raises."""
    request = {"do": "attach", "pid": os.getpid(), **run.digests}
    for visit in sockets.visits():
        answer = visit.ask(request)
        if answer and not answer["differs"]:
            return visit, answer
        visit.close()
        if answer:
            _explain(run, visit, answer["differs"], say)
    return None


def _set(conf: Any, name: str, value: str | None) -> None:
    """None is Spark's own default."""
    if value is None:
        conf.unset(name)
    else:
        conf.set(name, value)


def named(visit: sockets.Visit) -> str:
    """A warm Spark as messages name it."""
    return f"the warm Spark of process {visit.greeting['pid']}"


def _explain(
    run: Needs, visit: sockets.Visit, differs: list[str], say: Callable[[str], None]
) -> None:
    """Why a warm Spark is not used, if its user would have expected that."""
    what = f"{named(visit)} does not fit: it differs in {', '.join(differs)}"
    if run.shares_database(visit.greeting):
        raise MetastoreInUseError(
            f"{what}; and it has the embedded metastore open, which serves one Spark at a time",
            left="nothing was started",
            remedy=f"end it with {STOP_COMMAND}, or run dbt as it was run when it was started",
        )
    if run.shares_directory(visit.greeting):
        say(f"Not used: {what}. {STOP_COMMAND} ends it")


def _session(answer: sockets.Message) -> SparkSession:
    """A new session, which sessions of other runs know nothing of, as this process's only one.

    The JVM's default session stays the one that no run has changed. Python workers get this run's
    interpreter: the warm Spark may have another one on its PATH.
    """
    gateway = _gateway(answer)
    context: Any = gateway.jvm.org.apache.spark.SparkContext.getOrCreate()
    java = gateway.jvm.org.apache.spark.api.java.JavaSparkContext.fromSparkContext(context)
    SparkContext._ensure_initialized(gateway=gateway)
    spark = SparkContext(
        conf=SparkConf(_jconf=context.conf()),
        gateway=gateway,
        jsc=java,
        environment=_environment(),
    )
    if context.isLocal():
        spark.pythonExec = shutil.which(spark.pythonExec) or spark.pythonExec
    session = SparkSession(spark).newSession()
    SparkSession._instantiatedSession = SparkSession._activeSession = session
    return session


def _gateway(answer: sockets.Message) -> Any:
    os.environ.update(zip(ADDRESS, (str(answer["port"]), answer["secret"]), strict=True))
    try:
        return launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        for name in ADDRESS:
            os.environ.pop(name)


def _environment() -> dict[str, str]:
    """Where Python workers find what this process imports."""
    path = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": path} if path else {}
