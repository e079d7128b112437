"""The connections to a Hive metastore that the client classes in Spark's own JVM make.

One HiveMetaStoreClient for each thread: the class is not safe between threads. It is made by its
own constructor, which does not retry: a retried call turns a success into a conflict.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.metastore import refusals

FILTER_HOOK = "hive.metastore.filter.hook"
FRAMES = "\n\tat "  # a lost connection is told with the whole stack
NO_FILTER = "org.apache.hadoop.hive.metastore.DefaultMetaStoreFilterHookImpl"


class InJvmConnection:
    """What every part of the client calls with."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm = jvm.classes(spark)
        self._hive = self._jvm.org.apache.hadoop.hive.metastore
        catalog = jvm.shared_state(spark).externalCatalog().unwrapped()
        self._conf = self._unfiltered(catalog.client().conf())
        self._thread = threading.local()
        self._clients: list[Any] = []

    @property
    def uris(self) -> str:
        """The remote metastore's URIs; empty for an embedded one."""
        return str(self._conf.get("hive.metastore.uris") or "")

    @property
    def connection_url(self) -> str:
        """The JDBC URL behind an embedded metastore."""
        return str(self._conf.get("javax.jdo.option.ConnectionURL") or "")

    def close(self) -> None:
        """Close the connections of every thread; those of a JVM that has ended are closed."""
        while self._clients:
            with suppress(*jvm.GONE):
                self._clients.pop().close()
        self._thread = threading.local()

    def _unfiltered(self, conf: Any) -> Any:
        """Hive's session sets a filter of listings that works in its own thread only."""
        plain = self._jvm.org.apache.hadoop.hive.conf.HiveConf(conf)
        plain.set(FILTER_HOOK, NO_FILTER)
        return plain

    def _listed(self, names: Any) -> list[str]:
        """A Java list of names: by py4j's own iterator any failure would be its end."""
        joined = str(self._jvm.java.lang.String.join("\n", names))
        return joined.split("\n") if joined else []

    def _read(self, what: str, call: Callable[[Any], Any]) -> Any:
        """A call that changes nothing, made again on a new connection if the old one was dead.

        A long job leaves the connection idle until a server or a proxy closes it.
        """
        try:
            with self._call(what) as client:
                return call(client)
        except RefusedError:
            raise
        except MetastoreError:
            with self._call(what) as client:
                return call(client)

    @contextmanager
    def _call(self, what: str) -> Iterator[Any]:
        try:
            if getattr(self._thread, "client", None) is None:
                self._thread.client = self._hive.HiveMetaStoreClient(self._conf)
                self._clients.append(self._thread.client)
            yield self._thread.client
        except (Py4JError, OSError) as error:
            translated = _translated(what, error)
            if not isinstance(translated, RefusedError):
                self._thread.client = None  # its connection may be dead
            raise translated from error


def _translated(what: str, error: Exception) -> MetastoreError:
    """The error by the server's own words; anything else may have had its effect."""
    if not isinstance(error, Py4JJavaError):
        return MetastoreError(f"metastore call {what} failed: {error}")
    kind = error.java_exception.getClass().getSimpleName()
    said = str(error.java_exception.getMessage()).partition(FRAMES)[0]
    return refusals.named(kind, f"metastore call {what}: {kind}: {said}")
