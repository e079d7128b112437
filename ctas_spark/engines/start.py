"""The start of Spark's JVM, which a signal may end: as long as it starts, nothing can be lost."""
# ruff: noqa: SLF001 (PySpark keeps its JVM in attributes without a public name)

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import Any

from pyspark import SparkContext, java_gateway
from pyspark.sql import SparkSession

from ..errors import JobCanceledError
from . import embedded

GRACE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Opened:
    """The session, and the settings that this invocation has given it."""

    session: SparkSession
    settings: Mapping[str, str]

    def serves(self, settings: Mapping[str, str]) -> bool:
        """True if the session has these settings, and its Spark was not stopped."""
        return settings == self.settings and self.session.sparkContext._jsc is not None


class Start:
    """Knows the JVM's process from its launch until Spark and its metastore can be used."""

    def __init__(self) -> None:
        self._under_way = self._ended = False
        self._process: Popen[bytes] | None = None
        self.lacks_archive = False
        """True if the JVM would start faster with an archive of its classes."""
        self.opened: Opened | None = None

    def end(self) -> bool:
        """End a JVM that starts; False if none does. Safe in a signal handler."""
        if not self._under_way:
            return False
        self._ended = True
        self._end_process()
        return True

    def break_off(self) -> None:
        """End a start that is under way, or has not come to its JVM yet."""
        self._ended = True
        self.end()

    def forget(self) -> None:
        """Let a later invocation of this process start Spark, or give the session its settings."""
        self._ended, self.opened = False, None

    def require_not_ended(self) -> None:
        """Refuse the threads that waited for a start, or would begin another one."""
        if self._ended:
            raise JobCanceledError(
                "the run was stopped while Spark was starting",
                left="no table was touched, and Spark has ended",
            )

    @contextmanager
    def under_way(self, directory: Path) -> Iterator[None]:
        """Around the start of a Spark whose embedded metastore, if it has one, lies there.

        Raises:
            JobCanceledError: it was ended. An embedded metastore that it had begun to create is
                removed, because no later start could open it.
        """
        database = directory / embedded.DIRECTORY
        was_there = database.exists()
        # the name by which launch_gateway calls it
        java_gateway.Popen = self._launched  # type: ignore[attr-defined, assignment]
        self._process, self._under_way = None, True
        try:
            yield
        finally:
            self._under_way = False
            java_gateway.Popen = Popen  # type: ignore[attr-defined]
            if self._ended:
                self._clear(None if was_there else database)
            self.require_not_ended()

    def _clear(self, database: Path | None) -> None:
        """Once the JVM has ended, PySpark may start another one, and Derby create its files."""
        self._end_process()  # it may be ended when its start is over
        if self._process is not None:
            self._process.wait()
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None
        if database is not None:
            embedded.remove_unfinished(database)

    def _launched(self, *command: Any, **options: Any) -> "Popen[bytes]":
        self._process = Popen(*command, **options)  # noqa: S603 (PySpark's own)
        if self._ended:  # before there was a process
            self._end_process()
        return self._process

    def _end_process(self) -> None:
        """By SIGTERM, so that Spark removes its temporary files; in the end by SIGKILL."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(GRACE_SECONDS)
        except TimeoutExpired:
            self._process.kill()


class HeadStart:
    """A start that goes ahead in the background, while its process does something else.

    Whoever needs Spark waits for it, and gets its error if it failed.
    """

    def __init__(self, start: Start) -> None:
        self._start = start
        self._result: Future[object] | None = None

    def begin(self, work: Callable[[], object]) -> None:
        """Run what starts Spark in a thread that does not hold the process."""
        result: Future[object] = Future()

        def run() -> None:
            try:
                result.set_result(work())
            except BaseException as error:  # noqa: BLE001 (raised where Spark is needed)
                result.set_exception(error)

        self._result = result
        threading.Thread(target=run, daemon=True, name="head-start").start()

    def wait(self) -> None:
        """Wait for the start, if there is one; it raises what that raised."""
        result = self._result
        if result is not None:
            result.result()

    def end(self) -> None:
        """The invocation ends: break off a start that nobody needed, and forget it."""
        result, self._result = self._result, None
        if result is not None and not result.done():
            self._start.break_off()
            wait([result])


START = Start()
HEAD_START = HeadStart(START)
