"""What thousands of nodes with a session of their own leave in a JVM that goes on."""

import gc
import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from ctas_spark.engines import jvm
from dbt.adapters.ctas_spark.connections import SessionHandle
from dbt.adapters.ctas_spark.node_session import NodeSession, SessionsOfBatches
from functional.dbt_project import Project
from long import long

THREADS = 2
OF_A_SESSION = ("SparkSession", "SQLConf", "ArtifactManager", "SessionCatalog", "CatalogManager")
"""Classes of which each session has an object of its own, or several."""
FULL = 1_200
"""Nodes after which Spark's own lists of executions and jobs are as long as they get."""
MOST_BYTES = 8_000_000
OF_POOLS = 220
"""Threads of Spark's pools, which grow to 100 each while its cleaner drops broadcasts."""
ROUNDS = 10
"""Of the collector, at most: Python releases objects of Java's by and by, and cleaners run."""
NODE = SimpleNamespace(resource_type="model", config=SimpleNamespace(materialized="table"))
IN_A_RUN = 300
FAILS = 9
HEADED = """
{{{{ config(materialized='{kind}', sql_header="set own.one = {n}", pre_hook='use default') }}}}
select {value} as one
"""
PYTHON = """
def model(dbt, session):
    session.conf.set("own.one", "{n}")
    return session.sql("select {value} as one")
"""


@dataclass(frozen=True)
class Held:
    """What a JVM holds after its collector has run, and its files."""

    objects: Mapping[str, int]
    bytes: int
    threads: int
    listeners: int
    files: int

    @classmethod
    def at_last(cls, spark: SparkSession) -> "Held":
        """Once the collector finds nothing more of a session."""
        return min(
            (cls.by(spark) for _ in range(ROUNDS)), key=lambda one: sum(one.objects.values())
        )

    @classmethod
    def by(cls, spark: SparkSession) -> "Held":
        """By the JVM's own histogram of live objects."""
        gc.collect()
        jvm.context(spark).listenerBus().waitUntilEmpty()
        counted = dict[str, tuple[int, int]]()
        for line in _histogram(spark).splitlines():
            number, *rest = line.split()
            if number.endswith(":") and number[:-1].isdigit():
                counted[rest[2]] = int(rest[0]), int(rest[1])
        beans = jvm.classes(spark).java.lang.management.ManagementFactory
        of_session = {
            name: one[0]
            for name, one in counted.items()
            if name.startswith("org.apache.spark.sql.") and name.rpartition(".")[2] in OF_A_SESSION
        }
        return cls(
            objects=of_session,
            bytes=sum(size for _, size in counted.values()),
            threads=int(beans.getThreadMXBean().getThreadCount()),
            listeners=int(jvm.context(spark).listenerBus().listeners().size()),
            files=_files(spark),
        )


@pytest.mark.parametrize("nodes", [100, long(5_000)])
def test_sessions_of_nodes_leave_nothing(spark: SparkSession, nodes: int) -> None:
    """No session, thread, listener or directory, and no memory that grows with the nodes."""
    _run_nodes(spark, THREADS * 5)
    before = Held.at_last(spark)
    _run_nodes(spark, min(nodes, FULL))
    full = Held.at_last(spark)
    _run_nodes(spark, nodes - min(nodes, FULL))
    after = Held.at_last(spark)
    shown = json.dumps([vars(one) for one in (before, full, after)])
    _assert_nothing_is_left(before, after, shown)
    assert after.bytes < full.bytes + MOST_BYTES, shown


@pytest.mark.long
def test_the_nodes_of_a_run_leave_nothing(project: Project, spark: SparkSession) -> None:
    """Of dbt's own threads: SQL with a header and hooks, Python, and models that fail."""
    project.write(dict(_node(n) for n in range(IN_A_RUN)))
    project.dbt("run", "--select", "n1?")  # what is there only once
    before = Held.at_last(spark)
    run = project.dbt("run")
    failed = [name for name, one in run.results.items() if one["status"] == "error"]
    assert len(failed) == IN_A_RUN / 10, run.log
    after = Held.at_last(spark)
    _assert_nothing_is_left(before, after, json.dumps([vars(one) for one in (before, after)]))
    for n in (0, 1, 2):
        assert project.rows(f"select one from {{schema}}.n{n}") == [(str(n),)]


def _node(n: int) -> tuple[str, str]:
    """A table, a Python model, or a view; one in ten fails."""
    value = "no_such_column" if n % 10 == FAILS else "'${own.one}'"
    if n % 3 == 1:
        return f"models/n{n}.py", PYTHON.format(n=n, value=value)
    kind = "view" if n % 3 else "table"
    return f"models/n{n}.sql", HEADED.format(kind=kind, n=n, value=value)


def _assert_nothing_is_left(before: Held, after: Held, shown: str) -> None:
    for name, number in after.objects.items():
        assert number <= before.objects[name] + THREADS, shown
    assert after.threads <= before.threads + OF_POOLS, shown
    assert after.listeners <= before.listeners, shown
    assert after.files <= before.files, shown


def _run_nodes(spark: SparkSession, number: int) -> None:
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in threads.map(lambda _: _run_node(spark), range(number)):
            pass


def _run_node(spark: SparkSession) -> None:
    """What a node with a header does: it sets something, runs a query, and ends."""
    handle, session = SessionHandle(spark), NodeSession(NODE, SessionsOfBatches())
    for sql in ("set own.one = 1", "select '${own.one}' as one"):
        session.note(handle, sql)
        handle.execute(sql)
    assert handle.spark is not spark
    assert handle.fetchall() == [("1",)]
    session.end()


def _histogram(spark: SparkSession) -> str:
    packages: Any = jvm.classes(spark)
    beans = packages.java.lang.management.ManagementFactory.getPlatformMBeanServer()
    command = packages.javax.management.ObjectName("com.sun.management:type=DiagnosticCommand")
    gateway = cast("Any", spark.sparkContext._gateway)  # noqa: SLF001 (PySpark has no other way)
    no_options = gateway.new_array(packages.java.lang.Object, 1)
    no_options[0] = jvm.strings(spark)
    kinds = jvm.strings(spark, "[Ljava.lang.String;")
    arguments = gateway.new_array(packages.java.lang.Object, 4)
    for at, one in enumerate((command, "gcClassHistogram", no_options, kinds)):
        arguments[at] = one
    server = packages.java.lang.Class.forName("javax.management.MBeanServer")
    (invoke,) = (one for one in server.getMethods() if one.getName() == "invoke")
    return str(invoke.invoke(beans, arguments))  # the class of the server itself is hidden


def _files(spark: SparkSession) -> int:
    """Those of its local directory, and those that sessions keep for themselves."""
    packages = jvm.classes(spark)
    places = [Path(str(packages.org.apache.spark.SparkFiles.getRootDirectory())).parent]
    if not spark.version.startswith("3."):
        managers = jvm.member(packages, "org.apache.spark.sql.artifact.ArtifactManager$")
        places.append(Path(str(getattr(managers, "MODULE$").artifactRootDirectory())))
    return sum(len(names) + len(files) for one in places for _, names, files in os.walk(one))
