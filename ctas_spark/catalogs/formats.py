"""What Spark is started with, so that it has the tables of a format."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyspark

from ..context import DELTA, SESSION_CATALOG
from ..delta.limits import TRIED_JARS
from ..engines import given
from ..engines.embedded import is_embedded
from ..errors import ProfileError
from .kinds import ICEBERG, SESSION_OF_ICEBERG
from .settings import (
    CATALOG_OF_DELTA,
    EXTENSION_OF_DELTA,
    EXTENSION_OF_ICEBERG,
    EXTENSIONS,
    JARS_OF_SESSION_ICEBERG,
    SETTINGS,
)

PACKAGES = "spark.jars.packages"
SESSION = f"{SETTINGS}{SESSION_CATALOG}"
REMEMBERS_CASES = f"{SESSION}.cache.case-sensitive"
"""By default Iceberg remembers a table once for each spelling of its name; Hive has one table."""
EMBEDDED = {
    # PySpark has no BoneCP, which Hive's client takes by default
    "spark.hadoop.datanucleus.connectionPoolingType": "HikariCP",
    "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
    "spark.hadoop.hive.metastore.schema.verification": "false",
    # Derby has no lock tables; Iceberg's commit is a compare-and-swap of Hive's all the same. The
    # server of another catalog may have none
    f"{SESSION}.hadoop.iceberg.engine.hive.lock-enabled": "false",
    # an Iceberg table's columns may change their types, and Hive is told of them by position
    "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes": "false",
}
"""What Iceberg's client needs of a metastore in Spark's own JVM."""


@dataclass(frozen=True, slots=True)
class FormatSettings:
    """The jar for each minor of Spark, the extension, the catalog, and an embedded metastore's."""

    jars: Mapping[str, str]
    extension: str
    catalog: Mapping[str, str]
    embedded: Mapping[str, str] = field(default_factory=dict)


FORMATS: Mapping[str, FormatSettings] = {
    DELTA: FormatSettings(TRIED_JARS, EXTENSION_OF_DELTA, {SESSION: CATALOG_OF_DELTA}),
    ICEBERG: FormatSettings(
        JARS_OF_SESSION_ICEBERG,
        EXTENSION_OF_ICEBERG,
        {SESSION: SESSION_OF_ICEBERG, f"{SESSION}.type": "hive", REMEMBERS_CASES: "false"},
        EMBEDDED,
    ),
}


def with_formats(settings: Mapping[str, str], formats: list[str]) -> dict[str, str]:
    """The settings, and what the formats need besides; a value of the user's own wins.

    Jars and extensions are added to the user's, wherever Spark is given those.

    Raises:
        ProfileError: the format was not tried with this PySpark.
    """
    found, elsewhere = dict(settings), given.values() if formats else {}
    minor = ".".join(pyspark.__version__.split(".")[:2])
    for name in formats:
        needs, newest = FORMATS[name], max(FORMATS[name].jars)
        if minor not in needs.jars:
            raise ProfileError(
                f"formats: {name} was not tested with PySpark {pyspark.__version__}",
                left="nothing was started",
                remedy=f"use PySpark {newest} (pip install 'pyspark=={newest}.*'), or set jar, "
                f"extension and catalog in spark_conf",
            )
        for key, value in ((PACKAGES, needs.jars[minor]), (EXTENSIONS, needs.extension)):
            listed = found.get(key, elsewhere.get(key, "")).split(",")
            found[key] = ",".join(dict.fromkeys(filter(None, [*listed, value])))
        embedded = needs.embedded if is_embedded(settings) else {}
        found = {**needs.catalog, **embedded, **found}
    return found
