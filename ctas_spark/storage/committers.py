"""How Spark's jobs put files in their place on S3A, by the settings of a session.

A committer there renames nothing, or copies each file. Source: ``PathOutputCommitProtocol`` of
spark-hadoop-cloud, and Hadoop's "Committing work to S3 with the S3A Committers".
"""

from collections.abc import Callable, Iterable
from enum import Enum
from urllib.parse import urlsplit

from pyspark.sql import SparkSession

from ..engines import jvm
from ..engines.precedence import HADOOP

S3A = ("s3a", "s3", "s3n")
PROTOCOL = "spark.sql.sources.commitProtocolClass"
CLOUD = "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol"
PARQUET = "spark.sql.parquet.output.committer.class"
BINDING = "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter"
NAME = "committer.name"
ALGORITHM = "mapreduce.fileoutputcommitter.algorithm.version"
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


def is_chosen_by_place(spark: SparkSession) -> bool:
    """Whether the session has committers other than the one that Spark has by default."""
    return spark.conf.get(PROTOCOL) == CLOUD


def committer_at(spark: SparkSession, location: str) -> Committer | None:
    """The committer of what the session writes to a place; None where it is no object store."""
    where = urlsplit(location)
    if where.scheme not in S3A:
        return None
    if not is_chosen_by_place(spark):
        return Committer.RENAMING
    _, name = _setting(spark, location)
    if name == Committer.MAGIC.value:
        return Committer.MAGIC
    return Committer.RENAMING if name in (None, "", "file") else Committer.STAGING


def lines(
    spark: SparkSession, warehouse: str, schema: str, origin: Callable[[str], str]
) -> Iterable[str]:
    """For people who configure it: the warehouse's, and on S3A the schema's if it is another.

    Args:
        origin: where the value of a setting comes from.
    """
    places = [warehouse, *([schema] if urlsplit(schema).scheme in S3A else [])]
    return dict.fromkeys(_described(spark, one, origin) for one in places)


def _described(spark: SparkSession, location: str, origin: Callable[[str], str]) -> str:
    committer, (key, value) = committer_at(spark, location), _setting(spark, location)
    protocol = (spark.conf.get(PROTOCOL) or "").rpartition(".")[2]
    by = f"{protocol} ({origin(PROTOCOL)}), {key}={value} ({origin(f'{HADOOP}{key}')})"
    if committer is None:
        return f"committer: {by}"
    if committer is not Committer.RENAMING:
        return f"committer on S3A: {committer.value}, of S3A's own, by {by}"
    settings = ", ".join(f"{key}: {value}" for key, value in MAGIC_SETTINGS.items())
    return (
        f"committer on S3A: {committer.value}, by {by}, which copies each file once more on S3A, "
        "and so is slow there; for the magic one, add the jar spark-hadoop-cloud and set "
        f"{settings} in spark_conf"
    )


def _setting(spark: SparkSession, location: str) -> tuple[str, str | None]:
    """Hadoop's setting that chooses the committer of a place, and its value; a bucket's own first.

    Everywhere but on S3A, how files are renamed is all there is to choose.
    """
    where, hadoop = urlsplit(location), jvm.hadoop_configuration(spark)
    of_bucket, of_all = f"fs.s3a.bucket.{where.netloc}.{NAME}", f"fs.s3a.{NAME}"
    if where.scheme not in S3A:
        return ALGORITHM, hadoop.get(ALGORITHM)
    key = of_bucket if hadoop.get(of_bucket) else of_all
    return key, hadoop.get(key)
