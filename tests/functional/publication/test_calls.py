"""What a plain rebuild costs besides its CTAS: commands that py4j sends and waits for."""

import threading

import pytest
from py4j.java_gateway import GatewayClient
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.session import CatalogsWithJvm
from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.session import SessionJob
from functional.outside import Outside

MOST_ROUND_TRIPS = 150


class Counter:
    """Counts the commands of this thread; another one releases what Python has dropped."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        send, here = GatewayClient.send_command, threading.get_ident()
        self.sent: list[str] = []
        self.counts = False

        def counting(client: object, command: str, *rest: object, **options: object) -> object:
            if self.counts and threading.get_ident() == here:
                self.sent.append(command)
            return send(client, command, *rest, **options)

        patch.setattr(GatewayClient, "send_command", counting)


def _rebuild(opened: CatalogsWithJvm, context: StagingContext, counter: Counter) -> None:
    """Begin, stage, verify, commit, settle; the job itself is Spark's."""
    spark = SparkSession.active()
    job = SessionJob(spark, "rebuild", threading.Event())
    plan = opened.catalog_for(context).plan(context, job)
    counter.counts = True
    staged = plan.begin()
    text = staged.statement("SELECT id FROM range(3)")
    counter.counts = False
    job.attach()
    spark.sql(text)
    counter.counts = True
    staged.verify()
    staged.commit()
    staged.settle()
    counter.counts = False


def test_a_plain_rebuild_takes_few_round_trips(
    spark: SparkSession, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From begin to the end of settle, at most 150 besides the CTAS."""
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {outside.schema}")
    context = StagingContext(TableName(outside.schema, "t"), f"{outside.schema}__ctas_spark")
    counter = Counter(monkeypatch)
    opened = CatalogsWithJvm(spark)
    for _ in range(2):
        _rebuild(opened, context, counter)
    counter.sent.clear()
    _rebuild(opened, context, counter)
    opened.close()
    assert len(counter.sent) <= MOST_ROUND_TRIPS
