"""What dbt debug says of the Spark in this process, and who chose that."""

from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.catalogs.report import SparkReport
from ctas_spark.engines import given, jvm
from ctas_spark.engines.embedded import URIS, WAREHOUSE
from ctas_spark.engines.given import OWN_SPARK, Given
from ctas_spark.engines.start import START, Opened
from ctas_spark.storage.committers import CLOUD, PROTOCOL

MAGIC = {PROTOCOL: CLOUD}
BY_PROTOCOL = "PathOutputCommitProtocol (Spark's default)"
BY_NAME = "fs.s3a.committer.name=magic (profile)"
BY_BUCKET = "fs.s3a.bucket.c.committer.name=file (Spark's default)"
FROM_SITE = {"hive.metastore.uris": ["Set by Spark from hive-site.xml"]}


class Spark:
    """A session, and what its JVM says."""

    version = "4.1.4"

    def __init__(self, warehouse: str, hadoop: dict[str, str]) -> None:
        of_context = {"spark.submit.deployMode": "cluster"}
        conf = SimpleNamespace(get=lambda key, default=None: of_context.get(key, default))
        self.sparkContext = SimpleNamespace(master="yarn", getConf=lambda: conf)
        self.conf = SimpleNamespace(get={WAREHOUSE: warehouse, **MAGIC}.get)
        self.hadoop = SimpleNamespace(get=hadoop.get, getPropertySources=FROM_SITE.get)


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Spark that spark-submit has started, with a profile that names a setting."""
    found = Spark("s3a://b/w", {"fs.s3a.committer.name": "magic"})
    system = SimpleNamespace(getProperty=lambda key: key)
    packages = SimpleNamespace(java=SimpleNamespace(lang=SimpleNamespace(System=system)))
    monkeypatch.setattr(jvm, "classes", lambda _: packages)
    monkeypatch.setattr(jvm, "hadoop_configuration", lambda one: one.hadoop)
    profile = {"spark.hadoop.fs.s3a.committer.name": "magic"}
    monkeypatch.setattr(START, "opened", Opened(found, profile))  # type: ignore[arg-type]
    elsewhere = {
        "spark.master": Given("yarn", "spark-submit"),
        "spark.submit.deployMode": Given("cluster", "spark-submit"),
        WAREHOUSE: Given("s3a://b/w", "spark-defaults.conf"),
    }
    monkeypatch.setattr(given, "settings", lambda: elsewhere)
    return found


def test_each_value_is_told_with_who_chose_it(spark: Any) -> None:
    """The committer is the one of the file system of the warehouse; one line also judges it."""
    report = SparkReport(spark)
    assert [*report.versions()] == [
        "spark: 4.1.4",
        "master: yarn (spark-submit)",
        "deploy mode: cluster (spark-submit)",
        "java: java.version (java.home)",
    ]
    assert report.metastore() == "hive-site.xml"
    assert [*report.storage("s3a://b/other")] == [
        "warehouse: s3a://b/w (spark-defaults.conf)",
        f"committer on S3A: magic, of S3A's own, by {BY_PROTOCOL}, {BY_NAME}",
    ]


def test_a_schema_with_another_committer_has_a_line_of_its_own(spark: Any) -> None:
    """Its bucket may have one; outside of S3A there is nothing to choose but how to rename."""
    spark.hadoop = SimpleNamespace(
        get={
            "fs.s3a.committer.name": "magic",
            "fs.s3a.bucket.c.committer.name": "file",
            "mapreduce.fileoutputcommitter.algorithm.version": "1",
        }.get,
        getPropertySources=lambda _: None,
    )
    _, of_warehouse, of_schema = SparkReport(spark).storage("s3a://c/shop")
    assert of_warehouse.startswith("committer on S3A: magic, ")
    assert of_schema.startswith(f"committer on S3A: renaming, by {BY_PROTOCOL}, {BY_BUCKET}, which")
    assert f"{PROTOCOL}: {CLOUD}" in of_schema
    spark.conf = SimpleNamespace(get={WAREHOUSE: "hdfs://n/w", **MAGIC}.get)
    (_, line) = SparkReport(spark).storage("hdfs://n/w/shop.db")
    by_algorithm = "mapreduce.fileoutputcommitter.algorithm.version=1 (Spark's default)"
    assert line == f"committer: {BY_PROTOCOL}, {by_algorithm}"


def test_what_nobody_else_chose_is_this_adapters_or_sparks(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a setting with several names any counts."""
    monkeypatch.setattr(OWN_SPARK, "defaults", frozenset({URIS[0]}))
    spark.hadoop.getPropertySources = lambda _: None
    assert SparkReport(spark).metastore() == "this adapter's default"
    monkeypatch.setattr(OWN_SPARK, "defaults", frozenset())
    assert SparkReport(spark).metastore() == "Spark's default"
