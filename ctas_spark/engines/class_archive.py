"""The archive of Spark's classes, which a JVM maps instead of loading them.

On Java 25 and newer it is an AOT cache, which also holds linked classes and the profiles of methods
(JEP 483, 514, 515). On older ones it is an archive of loaded classes alone (AppCDS).
"""

import hashlib
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

import pyspark

CLASSES, AOT_CACHE = ".jsa", ".aot"
USED_BY = {CLASSES: "-XX:SharedArchiveFile", AOT_CACHE: "-XX:AOTCache"}
AOT_JAVA = 25
"""The first that makes its cache in one run (JEP 514); Java 24, without updates, needs two."""
RELEASE = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)


def java_of_spark() -> str | None:
    """The Java that Spark's own scripts choose; None if there is none."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(f"{home}/bin/java" if home else "java")


def path() -> Path:
    """Where the archive of this Java and these jars of Spark lies, or would lie."""
    java, found = Path(java_of_spark() or "java").resolve(), jars()
    parts = f"{java}\n{_changed(java)}\n{found}\n{_changed(found)}"
    key = hashlib.sha256(parts.encode()).hexdigest()[:16]
    suffix = AOT_CACHE if _release(java) >= AOT_JAVA else CLASSES
    return cache_directory() / f"spark-{pyspark.__version__}-{key}{suffix}"


def option() -> str:
    """The option of a JVM that maps the archive; empty if there is none.

    A JVM that it does not fit starts without it: after an update of Java or of Spark's jars, or if
    a directory with files is on the class path, such as that of ``SPARK_CONF_DIR``.
    """
    archive = path()
    if not archive.exists():
        return ""
    with suppress(OSError):  # it may be another user's, or on a disk that nobody may write to
        os.utime(archive)  # it is in use
    return f'"{USED_BY[archive.suffix]}={archive}"'


def cache_directory() -> Path:
    """Where this user's files are that any project may use."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "dbt-ctas-spark"


def jars() -> Path:
    """The directory of the jars that Spark's own scripts choose."""
    return Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent, "jars")


def _release(java: Path) -> int:
    """The feature release of a Java, as its own installation says it; 0 where none does."""
    release = java.parent.parent / "release"
    found = RELEASE.search(release.read_text()) if release.is_file() else None
    return int(found[1]) if found else 0


def _changed(one: Path) -> int:
    return one.stat().st_mtime_ns if one.exists() else 0
