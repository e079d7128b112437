"""A commit protocol of Spark's that waits in a job, compiled for the session that needs it."""

import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyspark

from ctas_spark.storage.committers import PROTOCOL
from servers.jars import java

SOURCE = Path(__file__).with_name("HeldCommit.java")
BY_DEFAULT = "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"


def held_commits(directory: Path, held: Path, conf: Mapping[str, str]) -> dict[str, str]:
    """The settings of a session in which jobs wait; it commits as one with ``conf`` does.

    What waits makes a file in ``held``, and goes on when that is removed. The protocol is compiled
    once, into ``directory``.
    """
    jars = [one for one in conf.get("spark.jars", "").split(",") if one]
    made = _jar(directory, conf.get(PROTOCOL, BY_DEFAULT), jars)
    return {
        "spark.jars": ",".join([*jars, str(made)]),
        PROTOCOL: SOURCE.stem,
        "spark.hadoop.held.in": str(held),
    }


def _jar(directory: Path, base: str, jars: Iterable[str]) -> Path:
    made = directory / "held.jar"
    if made.exists():
        return made
    directory.mkdir(parents=True)
    source = directory / SOURCE.name
    source.write_text(SOURCE.read_text().replace("BASE", base))
    path = ":".join([f"{Path(pyspark.__file__).parent}/jars/*", *jars])
    compiler = Path(java()).with_name("javac") if "/" in java() else "javac"
    subprocess.run([compiler, "-nowarn", "-cp", path, "-d", directory, source], check=True)
    with zipfile.ZipFile(made, "w") as archive:
        for compiled in directory.glob("*.class"):
            archive.write(compiled, compiled.name)
    return made
