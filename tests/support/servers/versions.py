"""The versions of everything that a result depends on."""

import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pyspark

from dbt.adapters.ctas_spark.__version__ import version as own_version
from servers.jars import POSTGRESQL_DRIVER, java
from servers.postgresql_installation import PACKAGE, programs_of

PACKAGES = ("dbt-core", "dbt-spark", "pyspark", "py4j")
PRODUCT = ("ctas_spark", "dbt")


def versions() -> dict[str, str]:
    """Return a version for each name."""
    return {
        "dbt-ctas-spark": f"{own_version} of {_commit()}",
        **{package: version(package) for package in PACKAGES},
        "python": platform.python_version(),
        "java": _said_by(java(), "-version"),
        "hive metastore": _hive(),
        "postgresql": _said_by(str(programs_of(PACKAGE) / "postgres"), "--version"),
        "postgresql jdbc": POSTGRESQL_DRIVER.version,
        "kernel": platform.release(),
    }


def _commit() -> str:
    """The checkout's last commit to the product, with a mark if it was changed since."""
    commit = _git("log", "-1", "--format=%h", "--", *PRODUCT)
    return f"{commit}, changed" if _git("status", "--porcelain", "--", *PRODUCT) else commit


def _git(*arguments: str) -> str:
    command = ("git", "-C", str(Path(__file__).parents[3]), *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _said_by(*command: str) -> str:
    answer = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    found = re.search(r"\d+(\.\d+)+", answer.stdout)
    return found[0] if found else answer.stdout.strip()


def _hive() -> str:
    jars = Path(pyspark.__file__).parent / "jars"
    (jar,) = jars.glob("hive-metastore-*.jar")
    return jar.stem.removeprefix("hive-metastore-")
