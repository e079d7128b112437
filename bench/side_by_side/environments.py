"""What competitors need, made once in a cache: their environments, TPC-H's tables, an archive."""

import os
import shutil
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path

from ctas_spark.archiving import making
from ctas_spark.engines import class_archive
from side_by_side.cases import DUCKDB, SQLMESH

TPCH = "tpchgen-cli"
DBT_CORE = f"dbt-core=={version('dbt-core')}"
FROM_AN_INDEX = Path(__file__).parents[2] / "requirements" / "index-only.txt"
PINNED = {
    DUCKDB: (DBT_CORE, "dbt-duckdb==1.11.1", "duckdb==2.0.1"),
    SQLMESH: (f"pyspark=={version('pyspark')}", "sqlmesh==0.236.4"),
    TPCH: ("tpchgen-cli==4.0.0",),
}
CACHE_VARIABLE = "XDG_CACHE_HOME"


def cache() -> Path:
    """The directory of everything that is kept from one run to the next."""
    parent = os.environ.get(CACHE_VARIABLE) or Path.home() / ".cache"
    return Path(parent, "dbt-ctas-spark-bench")


def programs(name: str | None) -> Path:
    """Where the programs of an environment are; None is the one that runs this."""
    return Path(sys.executable).parent if name is None else _environment(name) / "bin"


def pinned(name: str) -> dict[str, str]:
    """The versions that are installed in an environment."""
    return dict(one.split("==") for one in PINNED[name])


def tpch_tables(scale: float) -> Path:
    """TPC-H's eight tables as one Parquet file each; a scale factor of 1 takes 0.4 GB."""
    directory = cache() / f"tpch-{scale:g}"
    if not directory.exists():
        unfinished = directory.with_suffix(".unfinished")
        generator = programs(TPCH) / "tpchgen-cli"
        _run(generator, "parquet", "-s", f"{scale:g}", "--overwrite", "--output-dir", unfinished)
        unfinished.rename(directory)
    return directory


def archives() -> Path:
    """A directory for XDG_CACHE_HOME, in which the adapter finds an archive of Spark's classes."""
    directory = cache() / "archives"
    before = os.environ.get(CACHE_VARIABLE)
    os.environ[CACHE_VARIABLE] = str(directory)
    try:
        if not class_archive.path().exists():
            making.make()
    finally:
        os.environ.pop(CACHE_VARIABLE)
        if before is not None:
            os.environ[CACHE_VARIABLE] = before
    return directory


def _environment(name: str) -> Path:
    directory = cache() / name
    made = directory / "made-of"
    wanted = " ".join(PINNED[name])
    if not made.exists() or made.read_text() != wanted:
        shutil.rmtree(directory, ignore_errors=True)
        venv.create(directory, with_pip=True)
        _install(directory / "bin" / "python", PINNED[name])
        made.write_text(wanted)
    return directory


def _install(python: Path, pinned: tuple[str, ...]) -> None:
    """This dbt-core comes last: requirements/overrides.txt says what of it pip can't install."""
    pip = (python, "-m", "pip", "install", "--quiet")
    others = [one for one in pinned if one != DBT_CORE]
    _run(*pip, "--constraint", FROM_AN_INDEX, *others)
    if DBT_CORE in pinned:
        _run(*pip, "--no-deps", DBT_CORE)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True)  # noqa: S603 (programs of the environments above)
