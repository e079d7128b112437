"""A dbt project on a stand-in for S3, whose every request is counted."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from ctas_spark.storage.committers import PARQUET, PROTOCOL
from functional.dbt_project import Project
from real_places.embedded import started_project
from servers.s3 import BUCKET, S3


@dataclass(frozen=True, slots=True)
class OnS3:
    """A schema in the bucket."""

    server: S3
    project: Project

    @classmethod
    def new(cls, server: S3, metastore: Path, directory: Path, schema: str) -> "OnS3":
        """An empty schema, and a project that is run in this process with the magic committer."""
        conf = server.spark_conf(magic=True)
        warehouse = f"s3a://{BUCKET}/warehouse"
        place = cls(server, started_project(directory, schema, warehouse, metastore, **conf))
        place.spark.sql(f"create schema {schema} location '{place.location}'")
        return place

    @property
    def spark(self) -> SparkSession:
        return SparkSession.active()

    @property
    def prefix(self) -> str:
        """The schema's, of keys."""
        return f"{self.project.schema}.db/"

    @property
    def location(self) -> str:
        return f"s3a://{BUCKET}/{self.prefix.rstrip('/')}"

    @contextmanager
    def renaming(self) -> Iterator["OnS3"]:
        """The same with the committer that Spark has by default."""
        spark = self.spark
        changed = {PROTOCOL: spark.conf.get(PROTOCOL), PARQUET: spark.conf.get(PARQUET)}
        conf = {name: value for name, value in self.project.conf.items() if name not in changed}
        for name in changed:
            spark.conf.unset(name)
        yield replace(self, project=replace(self.project, conf=conf))
        for name, value in changed.items():
            spark.conf.set(name, str(value))

    @contextmanager
    def setting(self, name: str, value: str) -> Iterator[None]:
        """A setting of the run's session."""
        self.spark.conf.set(name, value)
        yield
        self.spark.conf.unset(name)

    @contextmanager
    def counting(self) -> Iterator[Counter[str]]:
        """The requests of the block, by their method."""
        before, counted = self.server.requests(), Counter[str]()
        yield counted
        counted.update(self.server.requests() - before)

    def rows(self, model: str) -> list[tuple[object, ...]]:
        """What a new session reads."""
        table = f"{self.project.schema}.{model}"
        return sorted(tuple(row) for row in self.project.rows(f"select * from {table}"))

    def objects(self) -> list[str]:
        """All objects below the schema's directory, without its prefix."""
        return [key.removeprefix(self.prefix) for key in self.server.keys(self.prefix)]
