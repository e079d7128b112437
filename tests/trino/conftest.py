"""A Trino server beside dbt, on one metastore: PostgreSQL with the tables of Hive's locks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from functional.dbt_project import Project, new_project
from servers.metastore import Metastore
from servers.metastore_on_postgresql import running_metastore_on_postgresql
from servers.trino import Trino, running_trino


@pytest.fixture(scope="session")
def metastore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """One that can track partitions; otherwise with default settings."""
    directory = tmp_path_factory.mktemp("metastore")
    places = directory / "server", directory / "warehouse"
    with running_metastore_on_postgresql(*places, lock_tables=True) as server:
        yield server


@pytest.fixture(scope="session")
def trino(metastore: Metastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trino]:
    """With default settings."""
    with running_trino(tmp_path_factory.mktemp("trino"), metastore.uri) as server:
        yield server


@pytest.fixture
def project(tmp_path: Path, metastore: Metastore) -> Project:
    """A project of one test."""
    return new_project(tmp_path, metastore)
