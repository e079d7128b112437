"""Which committer writes to a place, by the settings of a session."""

from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.engines import jvm
from ctas_spark.storage.committers import CLOUD, PROTOCOL, Committer, committer_at

OF_HADOOP = "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"
BUCKETS_OWN = {"fs.s3a.bucket.b.committer.name": "magic", "fs.s3a.committer.name": "directory"}


@pytest.mark.parametrize(
    ("protocol", "hadoop", "location", "committer"),
    [
        (CLOUD, {"fs.s3a.committer.name": "magic"}, "hdfs://node/d", None),
        (CLOUD, {"fs.s3a.committer.name": "magic"}, "", None),
        (CLOUD, {"fs.s3a.committer.name": "magic"}, "s3a://b/d", Committer.MAGIC),
        (CLOUD, BUCKETS_OWN, "s3a://b/d", Committer.MAGIC),
        (CLOUD, BUCKETS_OWN, "s3a://other/d", Committer.STAGING),
        (CLOUD, {"fs.s3a.committer.name": "file"}, "s3a://b/d", Committer.RENAMING),
        (CLOUD, {}, "s3a://b/d", Committer.RENAMING),
        (OF_HADOOP, {"fs.s3a.committer.name": "magic"}, "s3a://b/d", Committer.RENAMING),
    ],
)
def test_the_committer_follows_from_protocol_name_and_bucket(
    protocol: str,
    hadoop: dict[str, str],
    location: str,
    committer: Committer | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the protocol of spark-hadoop-cloud, the name is not asked for."""
    monkeypatch.setattr(jvm, "hadoop_configuration", lambda _spark: hadoop)
    spark: Any = SimpleNamespace(conf=SimpleNamespace(get={PROTOCOL: protocol}.__getitem__))
    assert committer_at(spark, location) is committer


def test_only_the_renaming_one_overwrites_single_partitions() -> None:
    """Spark refuses the others."""
    assert [one for one in Committer if one.overwrites_partitions] == [Committer.RENAMING]
