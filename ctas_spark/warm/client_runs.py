"""The runs that use a warm Spark: what each gets, and what becomes of its work when it is gone."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError

from ..engines import jvm
from .sockets import Message

LOOK_AGAIN_SECONDS = 0.2


class ClientRuns:
    """Runs by their number, which is free again when all that a run has started has ended."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._guard = threading.Lock()
        self._present: dict[int, int] = {}
        self._names = itertools.count(1)
        self._context: Any = jvm.context(spark)
        self._shared: Any = jvm.shared_state(spark)
        self._settings: Any = jvm.session(spark).conf()
        gateway = spark.sparkContext._gateway  # noqa: SLF001 (PySpark has no public way to its JVM)
        self._address = gateway.gateway_parameters.port, gateway.gateway_parameters.auth_token
        self._java: Any = jvm.classes(spark).java
        self._keep_own_objects(gateway)

    @property
    def processes(self) -> list[int]:
        """Those of the runs."""
        with self._guard:
            return sorted(self._present.values())

    @contextmanager
    def admitted(self, message: Message) -> Iterator[Message]:
        """Let a run in until the block ends; then end its jobs, and forget what it has left."""
        slot = self._enter(int(message["pid"]))
        tag = f"ctas-spark-run-{next(self._names)}"
        try:
            port, secret = self._address
            yield {"port": port, "secret": secret, "slot": slot, "tag": tag}
        finally:
            with suppress(Py4JError, OSError):  # Spark has ended, and with it everything
                self._end_work(tag)
            self._leave(slot)

    def may_set(self, name: str) -> bool:
        """True if each session may have its own value of a setting."""
        return bool(self._settings.isModifiable(name))

    def spark_has_ended(self) -> bool:
        """True if its JVM has ended, or somebody has stopped its context."""
        try:
            return bool(self._context.isStopped())
        except jvm.GONE:
            return True

    def _enter(self, process: int) -> int:
        """Nobody is to read what another run has cached: it may be old by now."""
        with self._guard:
            self._shared.cacheManager().clearCache()
            slot = next(one for one in itertools.count() if one not in self._present)
            self._present[slot] = process
            return slot

    def _end_work(self, tag: str) -> None:
        """Cancel what a dead run has left running, as often as one of its statements goes on."""
        while self._has_threads(tag):
            self._spark.sparkContext.cancelJobsWithTag(tag)
            threading.Event().wait(LOOK_AGAIN_SECONDS)

    def _has_threads(self, tag: str) -> bool:
        """A run names the threads of the JVM that work for it."""
        return f"{tag} " in str(self._java.lang.Thread.getAllStackTraces().keySet().toString())

    def _leave(self, slot: int) -> None:
        with self._guard, suppress(Py4JError, OSError):
            del self._present[slot]
            if not self._present:
                self._sweep()

    def _sweep(self) -> None:
        """Nobody is there: forget temporary views, caches, and the objects of ended processes."""
        self._shared.globalTempViewManager().clear()
        self._shared.cacheManager().clearCache()
        self._bindings.keySet().retainAll(self._own)

    def _keep_own_objects(self, gateway: Any) -> None:
        """Py4J holds an object until its process releases it, which a dead one never does."""
        server = JavaObject("GATEWAY_SERVER", gateway._gateway_client)  # noqa: SLF001 (as above)
        self._bindings = server.getGateway().getBindings()
        self._own = self._java.util.HashSet()
        self._own.addAll(self._bindings.keySet())
