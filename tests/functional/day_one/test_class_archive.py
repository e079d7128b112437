"""The archive of Spark's classes that a first run at a terminal leaves for the second one."""

import os
import subprocess
from pathlib import Path

import pytest

from ctas_spark.engines import class_archive
from functional.dbt_project import Project
from functional.terminal import DBT
from readers.session import QUICK, SMALL
from servers.processes import wait_until

ANNOUNCED = "Later runs will start faster: an archive of Spark's classes, 200 to 250 MB in "
MAPPED = "source: shared objects file (top)"
MAKING_SECONDS = 280
WITHOUT = {**SMALL, "spark.driver.extraJavaOptions": QUICK}
"""The other tests name the archive that there is, if there is one."""


@pytest.mark.long
@pytest.mark.timeout(500)
def test_a_first_run_leaves_an_archive_for_the_second(tmp_path: Path) -> None:
    """It is made after the run; the second run's JVM maps it, and nothing is announced again."""
    project = Project(tmp_path, "shop", WITHOUT)
    project.write({"models/orders.sql": "select 1 as n"})
    cache = tmp_path / "cache" / "dbt-ctas-spark"
    assert ANNOUNCED + str(cache) in _printed(project)
    wait_until(
        lambda: any(cache.glob(f"*{class_archive.path().suffix}")), MAKING_SECONDS, "an archive"
    )
    wait_until(lambda: len(list(cache.iterdir())) == 1, 60, "the end of what made it")
    loaded = tmp_path / "loaded"
    assert ANNOUNCED not in _printed(project, JDK_JAVA_OPTIONS=f"-Xlog:class+load:file={loaded}")
    assert MAPPED in loaded.read_text()


@pytest.mark.long
def test_a_ci_gets_no_archive(tmp_path: Path) -> None:
    """Its cache is gone when the job ends, though it may well have a terminal."""
    project = Project(tmp_path, "shop", WITHOUT)
    project.write({"models/orders.sql": "select 1 as n"})
    assert ANNOUNCED not in _printed(project, CI="true")
    assert not (tmp_path / "cache").exists()


def _printed(project: Project, **environment: str) -> str:
    """What a ``dbt run`` that succeeds prints on a terminal of its own."""
    reads, writes = os.openpty()
    cache = {"XDG_CACHE_HOME": str(project.directory / "cache"), "COLUMNS": "400"}
    inherited = {name: value for name, value in os.environ.items() if name != "CI"}
    with subprocess.Popen(
        [str(DBT), *project.command("run")],
        cwd=project.directory,
        env={**inherited, **cache, **environment},
        stdin=subprocess.DEVNULL,
        stdout=writes,
        stderr=subprocess.DEVNULL,
    ) as run:
        os.close(writes)
        said = b"".join(iter(lambda: _read(reads), b""))
    os.close(reads)
    assert run.returncode == 0, said.decode()
    return said.decode()


def _read(terminal: int) -> bytes:
    """The next bytes; none once nobody writes to the terminal any more."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
