"""The archive of Spark's classes, which a later JVM maps instead of loading them (JDK's AppCDS)."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

from ..errors import SparkNotStartedError

SUFFIX = ".jsa"
TRAINING = f"{__package__}.training"
SAID_BY_JVM = "[error]"


def java_of_spark() -> str | None:
    """The Java that Spark's own scripts choose; None if there is none."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(f"{home}/bin/java" if home else "java")


def path() -> Path:
    """Where the archive of this Java and these jars of Spark lies, or would lie."""
    java, jars = Path(java_of_spark() or "java").resolve(), _jars()
    parts = f"{java}\n{_changed(java)}\n{jars}\n{_changed(jars)}"
    key = hashlib.sha256(parts.encode()).hexdigest()[:16]
    return _directory() / f"spark-{pyspark.__version__}-{key}{SUFFIX}"


def option() -> str:
    """The option of a JVM that maps the archive; empty if there is none.

    A JVM that it does not fit starts without it: after an update of Java or of Spark's jars, or if
    a directory with files is on the class path, such as that of ``SPARK_CONF_DIR``.
    """
    archive = path()
    return f'"-XX:SharedArchiveFile={archive}"' if archive.exists() else ""


def make() -> Path:
    """Make the archive, some 200 MB; another process runs a Spark for half a minute for that.

    Raises:
        SparkNotStartedError: that Spark failed, or its Java makes no archives.
    """
    archive = path()
    archive.parent.mkdir(parents=True, exist_ok=True)
    unfinished = archive.with_suffix(f".{os.getpid()}")
    try:
        said = _train(unfinished)
        if not unfinished.exists():
            raise SparkNotStartedError(
                f"no archive of Spark's classes was made: {_reason(said)}",
                left="nothing was changed, and Spark starts as before",
                remedy="see that Java is a JDK of 17 or newer, that a Spark starts, and that no "
                "directory on its class path, such as that of SPARK_CONF_DIR, has files",
            )
        unfinished.replace(archive)
    finally:
        unfinished.unlink(missing_ok=True)
    return archive


def remove() -> list[Path]:
    """Remove every archive of this user, also those of environments that are gone."""
    found = sorted(_directory().glob("spark-*"))
    for one in found:
        one.unlink(missing_ok=True)
    return found


def _train(archive: Path) -> str:
    """What the process said. It runs elsewhere: Python would import what lies here."""
    with TemporaryDirectory() as scratch:
        done = subprocess.run(  # noqa: S603 (our own module)
            [sys.executable, "-m", TRAINING, str(archive)],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    return done.stdout


def _reason(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()] or ["it said nothing"]
    return next((line for line in lines if SAID_BY_JVM in line), lines[-1])


def _directory() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "dbt-ctas-spark"


def _jars() -> Path:
    return Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent, "jars")


def _changed(one: Path) -> int:
    return one.stat().st_mtime_ns if one.exists() else 0
