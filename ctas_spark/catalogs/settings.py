"""The settings and jars that a session needs for a format's tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

from ..context import DELTA, SESSION_CATALOG, StagingContext
from ..delta.limits import TRIED_JARS
from ..errors import FormatNotFoundError
from ..publish import messages

SETTINGS = "spark.sql.catalog."
CATALOG_OF_DELTA = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
EXTENSION_OF_DELTA = "io.delta.sql.DeltaSparkSessionExtension"
EXTENSION_OF_ICEBERG = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
EXTENSIONS = "spark.sql.extensions"

ICEBERG_JARS: Mapping[str, str] = {
    "3.5": "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.11.0",
    "4.0": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
    "4.1": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
}
"""The newest runtime for each minor of Spark."""
JARS_OF_SESSION_ICEBERG = {
    minor: jar for minor, jar in ICEBERG_JARS.items() if not minor.startswith("3.")
}
"""Those for ``formats: [iceberg]``: Spark 3.5's Hive has no compare-and-swap."""
FORMATS_LINE = "in a dbt profile, add formats: [{}]"
BRANCHES = "IcebergSparkSessionExtensions"
"""The extension that knows SQL for branches."""
RENAMED_IN = ("hdfs", "viewfs", "file")
"""Schemes of file systems on which a hadoop catalog refuses a commit over another's."""
HADOOP_NAMES = ("hadoop", "org.apache.iceberg.hadoop.HadoopCatalog")


class IcebergKind(str, Enum):
    """How an Iceberg catalog compares and swaps the pointer to a table's metadata.

    The first three were tried; ``DECLARED`` is what a user declares and a probe has confirmed.
    """

    HIVE = "hive"
    JDBC = "jdbc"
    REST = "rest"
    DECLARED = "declared"


IMPLEMENTATIONS = {
    "hive": IcebergKind.HIVE,
    "jdbc": IcebergKind.JDBC,
    "rest": IcebergKind.REST,
    "org.apache.iceberg.hive.HiveCatalog": IcebergKind.HIVE,
    "org.apache.iceberg.jdbc.JdbcCatalog": IcebergKind.JDBC,
    "org.apache.iceberg.rest.RESTCatalog": IcebergKind.REST,
}


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the choice of a kind needs to know of a session.

    ``extensions`` are between commas, ``declared`` the catalogs of ``iceberg_catalogs``.
    """

    version: str
    extensions: str
    has_iceberg: bool
    has_delta: bool
    declared: frozenset[str] = frozenset()


def iceberg_implementation(options: Mapping[str, str]) -> str:
    """What implements an Iceberg catalog: a class, or Iceberg's short name for one.

    Args:
        options: what stands after ``spark.sql.catalog.<catalog>.``
    """
    return options.get("catalog-impl") or options.get("type", IcebergKind.HIVE.value)


def iceberg_kind(options: Mapping[str, str]) -> IcebergKind | None:
    """The kind, by the catalog's own settings; None if it is not known to compare and swap."""
    return IMPLEMENTATIONS.get(iceberg_implementation(options))


def is_hadoop(options: Mapping[str, str]) -> bool:
    """True if the catalog's tables are just directories, and no entry points to them."""
    return iceberg_implementation(options) in HADOOP_NAMES


def publishes_by_branch(options: Mapping[str, str], facts: SessionFacts) -> bool:
    """True if the session has SQL for branches, and the catalog refuses a commit over another's.

    INSERT has taken options, which mark a branch, since Spark 4.0. A hadoop catalog commits by a
    rename, which an object store does not refuse where there is a file already.
    """
    has_words = BRANCHES in facts.extensions and not facts.version.startswith("3.")
    if not is_hadoop(options):
        return has_words
    return has_words and urlsplit(options.get("warehouse", "")).scheme in RENAMED_IN


def jar_remedy(jars: Mapping[str, str], spark_version: str) -> str:
    """The jar to put into ``spark_conf``, and which PySpark to install if this one has none."""
    minor = ".".join(spark_version.split(".")[:2])
    if minor in jars:
        return f"set spark.jars.packages: {jars[minor]} in spark_conf"
    newest = max(jars)
    return (
        f"no jar for Spark {minor} was tested: use PySpark {newest} (pip install "
        f"'pyspark=={newest}.*'), and set spark.jars.packages: {jars[newest]} in spark_conf"
    )


def formats_remedy(name: str, jars: Mapping[str, str], spark_version: str, otherwise: str) -> str:
    """First the profile's one line, where it has a jar for this Spark."""
    is_enough = ".".join(spark_version.split(".")[:2]) in jars
    return f"{FORMATS_LINE.format(name)}; or {otherwise}" if is_enough else otherwise


def check_delta(context: StagingContext, implementation: str | None, facts: SessionFacts) -> None:
    """Return if the target's catalog, of the class ``implementation``, holds Delta tables.

    Raises:
        FormatNotFoundError: the jar is missing; it says what to put into ``spark_conf``.
        AtomicityNotSupportedError: the extension is missing, or the catalog is another.
    """
    if context.target.catalog != SESSION_CATALOG:
        raise messages.unsupported(
            context.target,
            f"file_format is delta, and the table is in the catalog {context.target.catalog}",
            f"Delta tables are published in {SESSION_CATALOG}; remove database",
        )
    missing = list[str]()
    if not facts.has_delta:
        missing.append(jar_remedy(TRIED_JARS, facts.version))
    if implementation != CATALOG_OF_DELTA:
        missing.append(f"set {SETTINGS}{SESSION_CATALOG}: {CATALOG_OF_DELTA} in spark_conf")
    if EXTENSION_OF_DELTA not in (name.strip() for name in facts.extensions.split(",")):
        missing.append(f"add {EXTENSION_OF_DELTA} to {EXTENSIONS} in spark_conf")
    if missing:
        remedy = formats_remedy(DELTA, TRIED_JARS, facts.version, ", and ".join(missing))
        if facts.has_delta:
            what = "file_format is delta, and the session has no Delta catalog"
            raise messages.unsupported(context.target, what, remedy)
        what, left = "Spark has no classes of Delta", messages.NO_JOB
        raise FormatNotFoundError(what, table=context.target, left=left, remedy=remedy)
