"""What a run and a warm Spark must have in common: settings, and what surrounds the process."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..engines import class_archive, given
from ..engines.embedded import CONNECTION_URL
from ..engines.java_options import JAVA_OPTIONS

Digests = dict[str, str]
"""Digests by name: what two processes compare may be secret."""

DERBY = re.compile(r"jdbc:derby:.*databaseName=([^;]+)")
READ_BY_JAVA = (
    *("SPARK_", "PYSPARK_", "HADOOP_", "HIVE_", "JAVA_", "JDK_", "_JAVA_", "KRB5"),
    *("AWS_", "AZURE_", "GOOGLE_", "TZ"),
)
"""How variables begin that Spark, its connectors or Java read once."""
OF_EACH_RUN = (
    *("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"),
    *("SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE"),  # PySpark sets them as it connects
)
CONFIGURATIONS = ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR")


@dataclass(frozen=True, slots=True)
class Needs:
    """What a run would start its own Spark with.

    ``settings`` are complete, but for the options of Java: ``options`` are the user's own.
    """

    settings: Mapping[str, str]
    options: str

    @classmethod
    def of(cls, complete: Mapping[str, str], profile: Mapping[str, str]) -> "Needs":
        """The needs of a run with these settings, most of which come from its profile."""
        defaults = given.values()
        found = {**defaults, **complete}
        found.pop(JAVA_OPTIONS, None)
        return cls(found, {**defaults, **profile}.get(JAVA_OPTIONS, ""))

    @property
    def digests(self) -> dict[str, Digests]:
        """What two processes compare: the settings, which sessions may change, and the rest."""
        return {"settings": _digests(self.settings), "surroundings": _digests(self._surroundings())}

    @property
    def database(self) -> str:
        """The directory of the embedded metastore; empty if it has none."""
        found = DERBY.match(self.settings.get(CONNECTION_URL, ""))
        return str(Path.cwd() / found[1]) if found else ""

    def shares_database(self, others: Mapping[str, Any]) -> bool:
        """True if the other's embedded metastore is this one's."""
        return bool(self.database and self.database == others["database"])

    def shares_directory(self, others: Mapping[str, Any]) -> bool:
        """True if the other was started in this working directory."""
        return bool(str(Path.cwd()) == others["directory"])

    def _surroundings(self) -> dict[str, str]:
        return {
            "the working directory": str(Path.cwd()),
            "Java": _state(Path(class_archive.java_of_spark() or "java").resolve()),
            "PySpark": _state(class_archive.jars()),
            JAVA_OPTIONS: self.options,
            **{f"the variable {name}": value for name, value in _variables()},
            **{f"the file {path}": _state(path) for path in _files()},
        }


def differing(one: Digests, other: Digests) -> list[str]:
    """The names of what is not the same in both."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def _variables() -> Iterator[tuple[str, str]]:
    for name, value in os.environ.items():
        if name.startswith(READ_BY_JAVA) and name not in OF_EACH_RUN:
            yield name, value


def _files() -> Iterator[Path]:
    """What administrators write: hive-site.xml, core-site.xml and the like."""
    given = map(os.environ.get, CONFIGURATIONS)
    named = [Path(one) for one in given if one]
    for directory in [*named, class_archive.jars().parent / "conf"]:
        yield from (one for one in directory.glob("*") if one.suffix in (".xml", ".conf"))


def _state(path: Path) -> str:
    return f"{path} {path.stat().st_mtime_ns if path.exists() else 0}"


def _digests(values: Mapping[str, str]) -> Digests:
    return {name: _digest(value) for name, value in values.items()}


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:16]
