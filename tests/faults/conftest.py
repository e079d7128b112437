"""One metastore behind a proxy, and one Spark session, for all tests of faults."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from faults.numbered import Numbered
from functional.dbt_project import Project
from functional.outside import Outside
from readers.session import SMALL
from servers.metastore import Metastore
from servers.proxy import Proxy

_numbers = itertools.count(1)
AS_BY_DEFAULT = {"spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem"}
"""Hadoop's own local files: what a storage refuses is tested here."""


@pytest.fixture(scope="session")
def proxy(metastore: Metastore) -> Iterator[Proxy]:
    """The only way of every run to the metastore."""
    between = Proxy(metastore.port)
    yield between
    between.down()


@pytest.fixture(scope="session")
def conf(metastore: Metastore, proxy: Proxy) -> Iterator[dict[str, str]]:
    """Settings of every run's Spark session; the one in this process ends with these tests."""
    patient = "spark.hadoop.hive.metastore.connect.retries"
    uris = "spark.hadoop.hive.metastore.uris"
    yield {**SMALL, **AS_BY_DEFAULT, **metastore.spark_conf(), uris: proxy.uri, patient: "1"}
    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()


@pytest.fixture(autouse=True, scope="session")
def spark_logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Spark's own log goes next to the tests' other files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_LOG_PATH", str(tmp_path_factory.getbasetemp() / "logs"))
        yield


@pytest.fixture
def numbered(tmp_path: Path, conf: dict[str, str], metastore: Metastore) -> Numbered:
    """A project with one model, in a schema that no other test has."""
    schema = f"faults_{next(_numbers)}"
    project = Project(tmp_path / "project", schema, conf)
    return Numbered.written(project, Outside(metastore, schema))
