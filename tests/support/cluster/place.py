"""A project whose runs have their driver in other processes, and their executors on a cluster."""

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from faults.numbered import NOTHING_KEPT, SWEEP_ALL, TABLE, Numbered
from faults.other_process import OtherRun, other_dbt, started
from faults.surplus import Surplus, surplus
from functional.dbt_project import Project
from functional.outside import Outside
from readers.session import QUICK
from servers.metastore import Metastore
from servers.standalone import ONLY_HERE, SPARK_SUBMIT, Cluster

DRIVER = Path(__file__).with_name("driver.py")
REPORT = "report.json"
SUBMIT_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
SCORED = "scored"
SCORES = """
def model(dbt, session):
    from pyspark.sql.functions import udf
    {udf}
    dbt.config(materialized="table", versions_to_keep=0, grace_period=0)
    rows = session.range(20, numPartitions=2)
    return rows.select("id", udf(scored, "bigint")("id").alias("twice"))
"""
TWICE = "scored = lambda number: 2 * number"
SMALL_JAVA = {
    "spark.driver.memory": "640m",
    "spark.executor.memory": "600m",
    "spark.executor.extraJavaOptions": QUICK,
    "spark.driver.extraJavaOptions": QUICK,
    "spark.sql.shuffle.partitions": "2",
}


@dataclass(frozen=True, slots=True)
class ClusterPlace:
    """The project, its cluster and its metastore; nothing of Spark's is in its profile."""

    cluster: Cluster
    metastore: Metastore
    numbered: Numbered

    @classmethod
    def made(
        cls, directory: Path, schema: str, cluster: Cluster, metastore: Metastore
    ) -> "ClusterPlace":
        """A project with a model of SQL, and one of Python whose UDF runs in the executors."""
        numbered = Numbered.written(Project(directory, schema, {}), Outside(metastore, schema))
        place = cls(cluster, metastore, numbered)
        place.write_scores(TWICE)
        return place

    def write_scores(self, udf: str) -> None:
        """Write the model of Python with another function; it must return twice the number."""
        body = "\n    ".join(udf.splitlines())
        path = self.numbered.project.directory / "models" / f"{SCORED}.py"
        path.write_text(SCORES.format(udf=body))

    def options(self) -> list[str]:
        """What spark-submit is given as arguments."""
        given = {
            **SMALL_JAVA,
            "spark.hadoop.hive.metastore.uris": self.metastore.uri,
            "spark.sql.warehouse.dir": str(self.metastore.warehouse),
        }
        confs = [part for key, value in given.items() for part in ("--conf", f"{key}={value}")]
        return ["--master", self.cluster.url, *confs]

    def command(self, *arguments: str, **variables: object) -> list[str]:
        """One invocation, which keeps no old version."""
        return self.numbered.project.command(*arguments, settings=NOTHING_KEPT, **variables)

    @contextmanager
    def submitted(self, commands: Sequence[Sequence[str]], **conf: str) -> Iterator[OtherRun]:
        """Let spark-submit run these invocations in one driver; a file holds further settings."""
        home = self.numbered.project.directory
        properties = home / "submitted.conf"
        lines = [f"{key.replace('_', '.')} {value}\n" for key, value in conf.items()]
        properties.write_text("".join(lines))
        arguments = [str(home / REPORT), *(json.dumps(one) for one in commands)]
        (home / REPORT).unlink(missing_ok=True)
        command = [SPARK_SUBMIT, "--properties-file", properties, *self.options(), DRIVER]
        command += arguments
        here = [f"{name}={value}" for name, value in ONLY_HERE.items()]
        with started(home, ["env", *here, *map(str, command)]) as run:
            yield run

    def report(self, run: OtherRun) -> dict[str, Any]:
        """What the driver has noted, once it has ended well."""
        assert run.ended() == 0, run.log.read_text()
        found: dict[str, Any] = json.loads((run.log.parent / REPORT).read_text())
        return found

    def in_client_mode(
        self,
        patch: pytest.MonkeyPatch,
        *arguments: str,
        given: Sequence[str] = (),
        **variables: object,
    ) -> AbstractContextManager[OtherRun]:
        """Start ``dbt run``, whose Spark PYSPARK_SUBMIT_ARGS places on the cluster."""
        for name, value in ONLY_HERE.items():
            patch.setenv(name, value)
        patch.setenv(SUBMIT_ARGUMENTS, shlex.join([*(given or self.options()), "pyspark-shell"]))
        variables = {"settings": NOTHING_KEPT, **variables}
        return other_dbt(self.numbered.project, *arguments, **variables)

    def scores(self) -> list[tuple[int, int]]:
        """The rows of the Python model, read past Spark."""
        read = pq.read_table(self.numbered.outside.directory(SCORED)).to_pydict()
        return sorted(zip(read["id"], read["twice"], strict=True))

    def vacuum(self) -> list[str]:
        """The invocation that deletes what dead runs have left, whatever its age."""
        arguments = f"--args={json.dumps(SWEEP_ALL)}"
        return self.command("run-operation", "ctas_vacuum", arguments)

    def left(self, *tables: str) -> Surplus:
        """What storage and metastore hold besides the live versions."""
        live = {table: {self.numbered.version(table)} for table in tables or (TABLE, SCORED)}
        return surplus(self.numbered.outside, live)
