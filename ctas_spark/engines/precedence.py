"""Which value of a Spark setting wins, and who has set it.

The strongest first:

1. a Spark that runs already, for the settings that it no longer reads (``is_late``);
2. the profile's ``spark_conf``;
3. what Spark is given by others: spark-submit, a session or JVM that is there, spark-defaults.conf
   (``given`` has the order among these);
4. a site file of Hadoop's or Hive's;
5. this adapter's defaults (``DEFAULTS``, and ``LOCAL`` on one machine);
6. Spark's own.

``ALWAYS`` stands above what others give. A start names each value of the profile that is not used,
and each that it replaces (``report_differences``); dbt debug names the source of what it prints.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from pyspark import SparkContext
from pyspark.sql import SparkSession

from ..context import SESSION_CATALOG
from ..redaction import redacted
from . import given, jvm
from .embedded import TABLES, WAREHOUSE, WAREHOUSES, beside, path_for_spark
from .given import HIVE_SITE, OWN_SPARK
from .java_options import JAVA_OPTIONS, java_options

ALWAYS = {"spark.sql.defaultCatalog": SESSION_CATALOG}
"""Where names without a catalog are looked up, whoever says what."""
DEFAULTS = {
    "spark.sql.ansi.enabled": "false",  # as dbt-spark: the same SQL on Spark 3 and 4
    "spark.ui.showConsoleProgress": "false",
    **ALWAYS,
}
"""Ours on every master, where nobody has chosen otherwise."""
LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # else a small model would wait for every task of a long one before it
    "spark.scheduler.mode": "FAIR",
    # else each statement on a Delta table reads its log in 50 tasks, however short that is
    "spark.databricks.delta.snapshotPartitions": "4",
    "spark.ui.enabled": "false",
}
"""Ours on a local master, where nobody has chosen otherwise."""
PROFILE = "profile"
THIS_ADAPTER = "this adapter's default"
SPARKS_DEFAULT = "Spark's default"
HADOOP = "spark.hadoop."
HADOOPS_NAME = re.compile(r"^spark[.](?:hadoop[.])?")
"""How the name of a setting begins that Spark hands on to Hadoop and Hive."""
SITE = re.compile(r"[\w-]+-site[.]xml$")
"""The end of what Hadoop says of a value: a path, or "Set by Spark from hive-site.xml"."""
OF_THE_JVM = re.compile(
    r"spark[.](?:jars(?:[.]\w+)?|files|archives|submit[.]\w+"
    r"|driver[.](?:memory|memoryOverhead|cores|extra\w+|defaultJavaOptions|userClassPathFirst))"
)
"""What spark-submit reads as it starts the JVM."""
IN_A_SESSION = "spark.sql."


def complete(
    settings: Mapping[str, str], log_directory: str, project: Path | None
) -> dict[str, str]:
    """The user's settings over ours, with the places of an embedded metastore of this project."""
    placed = beside(settings, project) if project is not None else {}
    return with_defaults(settings, log_directory) | placed


def with_defaults(settings: Mapping[str, str], log_directory: str) -> dict[str, str]:
    """The user's settings over ours, which are only for what nobody else names either."""
    is_local, said = given.is_local(settings), given.values()
    ours = {**DEFAULTS, **LOCAL} if is_local else DEFAULTS
    found = {key: said.get(key, value) for key, value in ours.items()} | ALWAYS
    here = Path.cwd()
    is_escaped = here.as_uri() != f"file://{here}"  # Spark would write its default there
    is_placed = any(map(given.under(settings).get, WAREHOUSES)) or given.has_hive_site()
    if is_local and is_escaped and not is_placed:
        found[WAREHOUSE] = path_for_spark(here / TABLES)
    found |= settings
    if not given.is_there():
        found[JAVA_OPTIONS] = java_options(settings, log_directory, is_local=is_local)
    return found


def defaults_of_session() -> dict[str, str]:
    """Our defaults for a session that others have started: those that nobody has set in it."""
    return {
        key: value
        for key, value in DEFAULTS.items()
        if key.startswith(IN_A_SESSION) and not given.is_set(key)
    }


def origin(spark: SparkSession, profile: Mapping[str, str], *names: str) -> str:
    """Where the value of a setting with these names comes from."""
    if any(name in profile for name in names):
        return PROFILE
    elsewhere = given.settings()
    for name in names:
        if name in elsewhere:
            return elsewhere[name].source
    if site := next(filter(None, (_site(spark, name) for name in names)), ""):
        return site
    return THIS_ADAPTER if OWN_SPARK.defaults.intersection(names) else SPARKS_DEFAULT


def _site(spark: SparkSession, name: str) -> str:
    """The site file of Hadoop's or Hive's whose value it is; empty if it is of none."""
    in_hadoop = HADOOPS_NAME.sub("", name)
    found = [*(jvm.hadoop_configuration(spark).getPropertySources(in_hadoop) or ())]
    last = SITE.search(str(found[-1])) if found else None
    return last[0] if last else ""


def origin_of_warehouse(spark: SparkSession, profile: Mapping[str, str]) -> str:
    """Where it comes from; Spark notes its own default, and hides that it took hive-site.xml's."""
    found = origin(spark, profile, *WAREHOUSES)
    here = jvm.classes(spark).java.lang.System.getProperty("user.dir")
    is_default = urlparse(spark.conf.get(WAREHOUSE) or "").path == f"{here}/{TABLES}"
    if is_default and found == given.SESSION_THERE:
        return SPARKS_DEFAULT
    return HIVE_SITE if found == SPARKS_DEFAULT and not is_default else found


def report_differences(profile: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Name each setting of the profile that is not used, or that replaces the value of others."""
    elsewhere = given.settings()
    for key, wanted in sorted(profile.items()):
        found = elsewhere.get(key)
        if found is not None and found.value == wanted:
            continue
        ours, theirs = _shown(key, wanted), _shown(key, found.value if found else None)
        if given.is_there() and is_late(key):
            who = found.source if found else given.source()
            why = "Spark is already running"
            say(f"{key}: {theirs} ({who}) is used, and not {ours} (profile): {why}")
        elif found is not None and found.source != given.DEFAULTS_FILE:
            say(f"{key}: {ours} (profile) is used, and not {theirs} ({found.source})")


def report_too_late(profile: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Name what the adapter's own Spark has from the profile that an earlier invocation had."""
    before = OWN_SPARK.profile
    for key in sorted({*before, *profile}):
        if before.get(key) != profile.get(key) and is_from_its_start(key):
            ours, theirs = _shown(key, profile.get(key)), _shown(key, before.get(key))
            say(
                f"{key}: {theirs} (profile of an earlier invocation) is used, and not {ours} "
                "(profile): this process has one Spark. Run each in a process of its own"
            )


def is_late(key: str) -> bool:
    """True if a Spark that is there no longer reads the setting."""
    if not given.has_session():
        return bool(OF_THE_JVM.fullmatch(key))
    return is_from_its_start(key)


def is_from_its_start(key: str) -> bool:
    """True if no session has a value of its own."""
    if not key.startswith(IN_A_SESSION):
        return True
    packages: Any = SparkContext._jvm  # noqa: SLF001 (PySpark has no public way to its JVM)
    return bool(packages.org.apache.spark.sql.internal.SQLConf.isStaticConfigKey(key))


def _shown(key: str, value: str | None) -> str:
    return SPARKS_DEFAULT if value is None else redacted({key: value})[key]
