"""The profile's methods: how Spark is reached, and what follows from that."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.credentials import (
    CONNECT,
    REPEATABLE,
    SESSION,
    THRIFT,
    CtasSparkCredentials,
)
from dbt.adapters.ctas_spark.staging.catalogs import server as without_jvm
from dbt.adapters.ctas_spark.staging.catalogs.kinds import Catalogs
from dbt.adapters.ctas_spark.staging.catalogs.server import CatalogsWithoutJvm
from dbt.adapters.ctas_spark.staging.catalogs.session import CatalogsWithJvm
from dbt.adapters.ctas_spark.staging.engines import connect
from dbt.adapters.ctas_spark.staging.engines.connect import ConnectJob
from dbt.adapters.ctas_spark.staging.engines.launch import start_spark
from dbt.adapters.ctas_spark.staging.engines.protocol import StoppableJob
from dbt.adapters.ctas_spark.staging.engines.session import SessionJob
from dbt.adapters.ctas_spark.staging.engines.thrift import session as thrift


@dataclass(frozen=True, slots=True)
class Method:
    """One way to reach Spark.

    ``start`` gives the process's session, and ``start_failure`` says why it can't; ``job``
    makes the job of a model; ``close`` ends an invocation.
    """

    start: Callable[[CtasSparkCredentials, str], Any]
    start_failure: Callable[[BaseException], str]
    job: Callable[[Any, str, threading.Event, float], StoppableJob]
    open_catalogs: Callable[[Any, CtasSparkCredentials], Catalogs]
    close: Callable[[], None]


def _session(credentials: CtasSparkCredentials, log_directory: str) -> SparkSession:
    return start_spark(credentials.spark_conf, log_directory)


def _over_connect(credentials: CtasSparkCredentials, _: str) -> Any:
    settings = credentials.settings_of_the_session
    return connect.SESSIONS.get(credentials.remote, settings)


def _over_thrift(credentials: CtasSparkCredentials, _: str) -> Any:
    settings = credentials.settings_of_the_session
    return thrift.SESSIONS.get(credentials.thrift_server, settings)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        SESSION: Method(
            start=_session,
            start_failure=lambda error: dbt_edge.start_failure(error, pyspark.__version__),
            job=SessionJob,
            open_catalogs=lambda spark, credentials: CatalogsWithJvm(
                spark,
                credentials.iceberg_catalogs,
                repeatable_reads=credentials.metastore_reads == REPEATABLE,
            ),
            close=lambda: None,  # its JVM lives as long as the process
        ),
        CONNECT: Method(
            start=_over_connect,
            start_failure=dbt_edge.message,
            job=ConnectJob,
            open_catalogs=lambda spark, _: CatalogsWithoutJvm(spark, without_jvm.CONNECT),
            close=connect.SESSIONS.close,
        ),
        THRIFT: Method(
            start=_over_thrift,
            start_failure=dbt_edge.message,
            job=thrift.ThriftJob,
            open_catalogs=lambda spark, _: CatalogsWithoutJvm(spark, without_jvm.THRIFT),
            close=thrift.SESSIONS.close,
        ),
    }
)
