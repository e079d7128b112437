"""Which Java is there, and whether the installed Spark runs on it."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

RUNS_ON = {3: (8, 11, 17), 4: (17, 21)}
INSTALL = "apt-get install openjdk-17-jre-headless (or set JAVA_HOME to a Java of that version)"


@dataclass(frozen=True, slots=True)
class Java:
    """The Java that Spark would start: where it is and its major version, None if unknown."""

    path: str
    major: int | None


def find_java() -> Java | None:
    """JAVA_HOME's Java, else the one on PATH, as Spark's own scripts choose."""
    home = os.environ.get("JAVA_HOME")
    path = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if path is None or not Path(path).exists():
        return None
    return Java(path, _major(path))


def complaint(java: Java | None, spark_version: str) -> str | None:
    """Why Spark can't start on this Java, with the remedy; None if it can."""
    wanted = RUNS_ON.get(int(spark_version.split(".", 1)[0]), ())
    listed = " or ".join(map(str, wanted))
    if java is None:
        where = "JAVA_HOME points at none" if os.environ.get("JAVA_HOME") else "none is on PATH"
        return f"no Java was found ({where}); PySpark {spark_version} needs {listed}: {INSTALL}"
    if java.major is not None and wanted and java.major not in wanted:
        return (
            f"{java.path} is Java {java.major}; PySpark {spark_version} needs {listed}: {INSTALL}"
        )
    return None


def _major(path: str) -> int | None:
    shown = subprocess.run(  # noqa: S603 (the Java that Spark itself would run)
        [path, "-version"], capture_output=True, text=True, check=False
    ).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', shown)
    return int(found.group(1)) if found else None
