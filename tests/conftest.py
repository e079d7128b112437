"""What several suites need, each in its own process."""

from collections.abc import Iterator

import pytest

from servers.metastore import Metastore, running_metastore


@pytest.fixture(scope="session")
def metastore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """A remote Hive metastore on Derby, with default settings; each test has its own schema."""
    directory = tmp_path_factory.mktemp("metastore")
    with running_metastore(directory / "server", directory / "warehouse") as server:
        yield server
