"""Jars from Maven's registry, fetched once by the Ivy that Spark brings along.

Ivy asks the same registries as ``spark.jars.packages`` does. Where that takes a settings file
(``spark.jars.ivySettings``), name the same file in the variable ``IVY_SETTINGS``.
"""

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyspark

SETTINGS = "IVY_SETTINGS"
FETCHED_WITHIN_SECONDS = 300.0
WANTED = """
<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="tests" module="tests"/>
  <dependencies>{dependencies}
  </dependencies>
</ivy-module>
"""
DEPENDENCY = """
    <dependency org="{jar.group}" name="{jar.artifact}" rev="{jar.version}" transitive="false">
      <artifact name="{jar.artifact}" type="jar" ext="{jar.extension}"{classifier}/>
    </dependency>"""


class JarError(Exception):
    """The jar could not be fetched, or is not the one that was expected."""


@dataclass(frozen=True, slots=True)
class Jar:
    """One artifact, without what it depends on; some are archives of a whole server."""

    group: str
    artifact: str
    version: str
    sha256: str
    classifier: str = ""
    extension: str = "jar"

    @property
    def file(self) -> str:
        """The name of its file."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{classifier}.{self.extension}"


# Local files without a process of chmod for each.
BARE_LOCAL_FILES = Jar(
    "com.globalmentor",
    "hadoop-bare-naked-local-fs",
    "0.1.0",
    "e0cc30fb0531eb0b59468dc0abf5b257533d2365b5e9f45e795edd707aa78c62",
)

# JDBC for MySQL and MariaDB, of the kind for which Hive 2.3 was made: with later ones it can't
# make its tables.
MYSQL_DRIVER = Jar(
    "mysql",
    "mysql-connector-java",
    "5.1.49",
    "5bba9ff50e5e637a0996a730619dee19ccae274883a4d28c890d945252bb0e12",
)

# JDBC for PostgreSQL 8.4 and later.
POSTGRESQL_DRIVER = Jar(
    "org.postgresql",
    "postgresql",
    "42.7.8",
    "2a32a9dcbc42d67a50ad3a0de5efd102c8d2be46720045f2cbd6689f160ab7c7",
)

# The newest of Spark 4.1 that Maven's registry has.
AVRO = Jar(
    "org.apache.spark",
    "spark-avro_2.13",
    "4.1.1",
    "6a19d90bc3b6e88d8db0fa36a19273aa10fea2dbd7a62bb60e4cedd73051b32d",
)
# The newest that run together on PySpark 4.1.
ICEBERG = Jar(
    "org.apache.iceberg",
    "iceberg-spark-runtime-4.1_2.13",
    "1.12.0",
    "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
)
SQLITE_DRIVER = Jar(
    "org.xerial",
    "sqlite-jdbc",
    "3.50.3.0",
    "a3f53a2aa15ae9425a9e793bbe9c8e5288febeb4b65ef5c1a4e80d4c2045cf08",
)

_DELTA_BY_SPARK = {
    "4.1": "75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10",
    "4.2": "27d4fd8b1f879535c573ed1c718177d6a27f24d3e626ba02e216369725721ead",
}
_SPARK = "4.2" if pyspark.__version__.startswith("4.2.") else "4.1"
DELTA = Jar("io.delta", f"delta-spark_{_SPARK}_2.13", "4.4.0", _DELTA_BY_SPARK[_SPARK])
DELTA_STORAGE = Jar(
    "io.delta",
    "delta-storage",
    "4.4.0",
    "c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc",
)

# The newest server of Nessie's that Maven's registry has; it needs Java 21.
NESSIE_SERVER = Jar(
    "org.projectnessie.nessie",
    "nessie-quarkus",
    "0.99.0",
    "ce9fa33e2878bf5ea3981876b9e6204cabc0362b3dd82326b10e47271a78c417",
    "runner",
)

# A whole Trino, which needs Java 24.
TRINO = Jar(
    "io.trino",
    "trino-server",
    "476",
    "cfd5accde17e8ebd251eeeb78aed1f490e77bb3a164d95a0f454bf8a7c1cbd3f",
    extension="tar.gz",
)

# A whole HDFS in one JVM, of the version that PySpark brings, and what its classes refer to.
HADOOP_CLUSTER = Jar(
    "org.apache.hadoop",
    "hadoop-client-minicluster",
    "3.4.2",
    "ae2406c544825b7734b8aad4f87eff60d9ec422284f0b16c2856032083b63c77",
)
HDFS_CLUSTER = (
    HADOOP_CLUSTER,
    Jar(
        "org.mockito",
        "mockito-core",
        "4.11.0",
        "4b909690cab288c761eb94c0bf0e814496cf3921d8affac84cd87774530351e5",
    ),
)

# Hadoop's S3A with the parts of Amazon's client that it calls, whose bundle has 640 MB; and Spark's
# spark-hadoop-cloud, of the newest version that Maven's registry has.
S3A = Path(__file__).with_name("s3a.jars")

# A REST catalog's server: Iceberg's own of its tests, with what PySpark's jars have not.
ICEBERG_REST_SERVER = (
    Jar(
        "org.apache.iceberg",
        "iceberg-core",
        "1.11.0",
        "53b9eb7a8c34fb9958ea7d9a4d19ba5bc96f592d0f05e8625b0778c70b1f0090",
    ),
    Jar(
        "org.apache.iceberg",
        "iceberg-core",
        "1.11.0",
        "4284719a5f0eb7db01e9f784a0ed4ca8bacf7d6f9951924143afc083428d8be3",
        "tests",
    ),
    Jar(
        "org.apache.iceberg",
        "iceberg-api",
        "1.11.0",
        "f00675a12ceb6d833bb9c22024823a3e7afdedf7abcefe34719f45b0d211995a",
    ),
    Jar(
        "org.apache.iceberg",
        "iceberg-common",
        "1.11.0",
        "b2835d00db7c92bdfa728123ad7cdcb488e2f2805c1c51fb9ae94e8bd203bd7d",
    ),
    Jar(
        "org.apache.iceberg",
        "iceberg-bundled-guava",
        "1.11.0",
        "396d48d93ef5735f2ddef0cf9b3d6968ebd67b64b5cfe753d41c429d3f46a2a1",
    ),
    Jar(
        "org.apache.httpcomponents.core5",
        "httpcore5",
        "5.3.4",
        "f2b2fd7a0164e8c3120cd8437bc9fea439239e165c17262b3e907daa7e979f80",
    ),
    Jar(
        "com.github.ben-manes.caffeine",
        "caffeine",
        "2.9.3",
        "1e0a7bbef1dd791653143f3f05d0e489934bf5481e58a87c9e619cd46b68729b",
    ),
)


def fetched(jar: Jar) -> Path:
    """Return the jar's place in the user's cache; fetch it the first time.

    Raises:
        JarError: it can't be had, or has another checksum.
    """
    return all_fetched([jar])[0]


def all_fetched(jars: Sequence[Jar]) -> list[Path]:
    """The same for several, by one process."""
    if missing := [jar for jar in jars if not place_of(jar).exists()]:
        _fetch(missing)
    return [place_of(jar) for jar in jars]


def listed(path: Path) -> tuple[Jar, ...]:
    """The jars of a file: group, artifact, version and SHA-256, a jar a line."""
    return tuple(Jar(*line.split()) for line in path.read_text().splitlines())


def place_of(jar: Jar) -> Path:
    """Where the jar is, or would be, in the user's cache."""
    return _cache() / jar.file


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "dbt-ctas-spark-tests"


def _fetch(jars: Sequence[Jar]) -> None:
    _cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_cache()) as scratch:
        _retrieve(jars, Path(scratch))
        for jar in jars:
            found = Path(scratch) / jar.file
            _check(jar, found)
            # At once: another process may be fetching the same jar.
            found.replace(place_of(jar))


def _retrieve(jars: Sequence[Jar], directory: Path) -> None:
    command = [java(), "-cp", f"{Path(pyspark.__file__).parent}/jars/*", "org.apache.ivy.Main"]
    settings = os.environ.get(SETTINGS)
    wanted = directory / "ivy.xml"
    each = (DEPENDENCY.format(jar=jar, classifier=_classifier(jar)) for jar in jars)
    wanted.write_text(WANTED.format(dependencies="".join(each)))
    options = [
        *(["-settings", settings] if settings else []),
        *["-warn", "-confs", "default", "-types", "jar"],
        *["-cache", str(directory / "ivy")],
        *["-ivy", str(wanted)],
        *["-retrieve", f"{directory}/[artifact]-[revision](-[classifier]).[ext]"],
    ]
    run = subprocess.run(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=FETCHED_WITHIN_SECONDS,
        check=False,
    )
    missing = [jar for jar in jars if not (directory / jar.file).exists()]
    if run.returncode or missing:
        names = ", ".join(f"{jar.group}:{jar.artifact}:{jar.version}" for jar in missing or jars)
        raise JarError(f"Ivy could not fetch {names}:\n{run.stdout}")


def _classifier(jar: Jar) -> str:
    return f' m:classifier="{jar.classifier}"' if jar.classifier else ""


def _check(jar: Jar, found: Path) -> None:
    checksum = hashlib.sha256(found.read_bytes()).hexdigest()
    if checksum != jar.sha256:
        raise JarError(f"{jar.file} has the SHA-256 {checksum}, not {jar.sha256}")


def java() -> str:
    """Return the Java that JAVA_HOME names, or the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin/java" if home else "java"
