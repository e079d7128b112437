"""How Spark's jobs put files in their place on S3A, by the settings of a session.

A committer there renames nothing, or copies each file. Source: ``PathOutputCommitProtocol`` of
spark-hadoop-cloud, and Hadoop's "Committing work to S3 with the S3A Committers".
"""

from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from pyspark.sql import SparkSession

from ..engines import jvm

S3A = ("s3a", "s3", "s3n")
PROTOCOL = "spark.sql.sources.commitProtocolClass"
CLOUD = "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol"
PARQUET = "spark.sql.parquet.output.committer.class"
BINDING = "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter"
NAME = "committer.name"
MAGIC_SETTINGS = {
    PROTOCOL: CLOUD,
    PARQUET: BINDING,
    f"spark.hadoop.fs.s3a.{NAME}": "magic",
}
"""What chooses the magic committer, where the jar spark-hadoop-cloud is."""


class Committer(str, Enum):
    """What puts a job's files in their place."""

    MAGIC = "magic"
    """By completing uploads, which the tasks have made to the files' own places."""
    STAGING = "staging"
    """By completing uploads of files that lay on the executors' disks."""
    RENAMING = "renaming"
    """By copying each file, which takes the job's commit as long as its write."""

    @property
    def overwrites_partitions(self) -> bool:
        """Whether Spark lets it replace just the partitions that new rows have."""
        return self is Committer.RENAMING


def committer_at(spark: SparkSession, location: str) -> Committer | None:
    """The committer of what the session writes to a place; None where it is no object store."""
    where = urlsplit(location)
    if where.scheme not in S3A:
        return None
    if spark.conf.get(PROTOCOL) != CLOUD:
        return Committer.RENAMING
    hadoop = jvm.hadoop_configuration(spark)
    name = _setting(hadoop, where.netloc)
    if name == Committer.MAGIC.value:
        return Committer.MAGIC
    return Committer.RENAMING if name in ("", "file") else Committer.STAGING


def described(committer: Committer) -> str:
    """A line for people who configure it."""
    if committer is not Committer.RENAMING:
        return f"{committer.value}, of S3A's own"
    settings = ", ".join(f"{key}: {value}" for key, value in MAGIC_SETTINGS.items())
    return (
        "renaming, which copies each file once more on S3A, and so is slow there; for the magic "
        f"one, add the jar spark-hadoop-cloud and set {settings} in spark_conf"
    )


def _setting(hadoop: Any, bucket: str) -> str:
    """The bucket's own setting goes first."""
    return str(hadoop.get(f"fs.s3a.bucket.{bucket}.{NAME}") or hadoop.get(f"fs.s3a.{NAME}") or "")
