"""Where the value of a setting comes from, in the words of dbt debug."""

import re
from collections.abc import Mapping
from urllib.parse import urlparse

from pyspark.sql import SparkSession

from . import given, jvm
from .embedded import TABLES, WAREHOUSE, WAREHOUSES
from .given import HIVE_SITE, OWN_SPARK

PROFILE = "profile"
THIS_ADAPTER = "this adapter's default"
SPARKS_DEFAULT = "Spark's default"
HADOOP = "spark.hadoop."
HADOOPS_NAME = re.compile(r"^spark[.](?:hadoop[.])?")
"""How the name of a setting begins that Spark hands on to Hadoop and Hive."""
SITE = re.compile(r"[\w-]+-site[.]xml$")
"""At the end of what Hadoop says of a value, be it a path or "Set by Spark from hive-site.xml"."""


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
