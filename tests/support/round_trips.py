"""Counts the commands that py4j sends and waits for."""

import itertools
import threading
from collections import Counter as Counts
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from py4j.java_gateway import GatewayClient
from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import StagingContext
from ctas_spark.engines.session import SessionJob
from dbt.adapters.ctas_spark.connections import CtasSparkConnectionManager as Connections

_numbers = itertools.count(1)


SAME = "SELECT id FROM range(3)"
"""The query of each rebuild, unless a test has others."""
RELEASE = "m\n"
"""How the command begins by which Java forgets an object that Python has dropped."""


@contextmanager
def counted_by_node(patch: pytest.MonkeyPatch) -> Iterator[Counts[str]]:
    """The commands of each node that dbt runs in this block, by its unique id."""
    counts: Counts[str] = Counts()
    send, name_of = GatewayClient.send_command, Connections.set_connection_name
    here = threading.local()

    def named(manager: Connections, name: str | None = None) -> object:
        here.node = name
        return name_of(manager, name)

    def counting(client: object, command: str, *rest: object, **options: object) -> object:
        if not command.startswith(RELEASE):
            counts[getattr(here, "node", "")] += 1
        return send(client, command, *rest, **options)

    with patch.context() as block:
        block.setattr(Connections, "set_connection_name", named)
        block.setattr(GatewayClient, "send_command", counting)
        yield counts


class Counter:
    """The commands of this thread; another one releases what Python has dropped."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        send, here = GatewayClient.send_command, threading.get_ident()
        self.sent: list[str] = []
        self._counts = False

        def counting(client: object, command: str, *rest: object, **options: object) -> object:
            if self._counts and threading.get_ident() == here:
                self.sent.append(command)
            return send(client, command, *rest, **options)

        patch.setattr(GatewayClient, "send_command", counting)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what is sent in this block."""
        self._counts = True
        try:
            yield
        finally:
            self._counts = False

    def of_the_last_rebuild(
        self,
        opened: CatalogsWithJvm,
        context: StagingContext,
        queries: Sequence[str] = (SAME, SAME, SAME),
    ) -> list[str]:
        """Some publications, so that all is loaded; the last one's commands besides its CTAS."""
        for query in queries:
            found = self.of_a_rebuild(opened, context, query)
        return found

    def of_a_rebuild(
        self, opened: CatalogsWithJvm, context: StagingContext, query: str = SAME
    ) -> list[str]:
        """The commands of one publication besides its CTAS."""
        self.sent.clear()
        self._publish(opened, context, query)
        return [*self.sent]

    def _publish(self, opened: CatalogsWithJvm, context: StagingContext, query: str) -> None:
        spark = SparkSession.active()
        job = SessionJob(spark, f"rebuild {next(_numbers)}", threading.Event())
        plan = opened.catalog_for(context).plan(context, job)
        with self.counting():
            staged = plan.begin()
            text = staged.statement(query)
        job.attach()
        spark.sql(text)
        with self.counting():
            staged.verify()
            staged.commit()
            staged.settle()
