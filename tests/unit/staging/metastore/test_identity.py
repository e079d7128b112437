"""Two processes that use one metastore agree on what it is."""

from pathlib import Path

import pytest

from dbt.adapters.ctas_spark.staging.metastore.identity import metastore_identity

HERE, THERE = Path("/projects/shop"), Path("/projects/other")


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:derby:;databaseName=/data/metastore_db;create=true",
        "jdbc:derby:/data/metastore_db;create=true",
        "jdbc:derby:directory:/data/metastore_db",
    ],
)
def test_an_absolute_derby_is_the_same_from_everywhere(url: str) -> None:
    """However it is written, and wherever the process was started."""
    found = {metastore_identity("", url, directory) for directory in (HERE, THERE)}
    assert found == {"jdbc:derby:/data/metastore_db"}


def test_a_relative_derby_is_that_of_its_directory() -> None:
    """Two projects with Spark's default have two metastores."""
    url = "jdbc:derby:;databaseName=metastore_db;create=true"
    assert metastore_identity("", url, HERE) == "jdbc:derby:/projects/shop/metastore_db"
    assert metastore_identity("", url, THERE) == "jdbc:derby:/projects/other/metastore_db"


def test_a_server_and_its_database_are_the_same_from_everywhere() -> None:
    """The process's directory has no part in it."""
    postgresql = "jdbc:postgresql://database:5432/metastore"
    for directory in (HERE, THERE):
        assert metastore_identity("thrift://a:9083", "", directory) == "thrift://a:9083"
        assert metastore_identity("", postgresql, directory) == postgresql
