"""Whether the machines of a cluster reach where this Spark creates schemas, and finds tables."""

import logging
from collections.abc import Mapping
from urllib.parse import urlparse

from pyspark.sql import SparkSession

from ..errors import ProfileError
from . import jvm
from .embedded import METASTORES, WAREHOUSE, is_embedded
from .precedence import SPARKS_DEFAULT, origin, origin_of_warehouse

logger = logging.getLogger(__name__)

LOCAL_FILES = "file"


def require_shared_warehouse(spark: SparkSession, settings: Mapping[str, str]) -> None:
    """Refuse a cluster whose new schemas would be on this machine because nobody chose a place.

    The metastore keeps the location of a schema for good, and executors write into a directory of
    the same name on machines of their own. Where somebody chose it, it may be a shared directory.

    Raises:
        ProfileError: nobody chose it.
    """
    master = str(spark.sparkContext.master)
    if master.startswith("local"):
        return
    warehouse = spark.conf.get(WAREHOUSE) or ""
    if is_of_this_machine(warehouse, jvm.hadoop_configuration(spark).get("fs.defaultFS")):
        _require_chosen(spark, warehouse, origin_of_warehouse(spark, settings))
    if is_embedded(settings) and origin(spark, settings, *METASTORES) == SPARKS_DEFAULT:
        logger.warning(
            "no metastore is named, so it is Spark's own of the working directory of this driver; "
            "Spark runs on %s, and no other program sees its tables. Set "
            "spark.hadoop.hive.metastore.uris in spark_conf of the profile",
            master,
        )


def is_of_this_machine(warehouse: str, default_file_system: str) -> bool:
    """True for a path in the file system of the driver's machine."""
    scheme = urlparse(warehouse).scheme or urlparse(default_file_system).scheme
    return scheme == LOCAL_FILES


def _require_chosen(spark: SparkSession, warehouse: str, source: str) -> None:
    master = str(spark.sparkContext.master)
    if source != SPARKS_DEFAULT:
        logger.warning(
            "the warehouse %s (%s) is a local directory, and Spark runs on %s: all of its machines "
            "have to share that directory",
            warehouse,
            source,
            master,
        )
        return
    raise ProfileError(
        f"Spark runs on {master}, and new schemas would be created in {warehouse}, Spark's default "
        "on the machine of this driver, which other machines do not reach",
        left="no table was touched, and no schema was created",
        remedy=f"set {WAREHOUSE} in spark_conf of the profile to a directory that every machine "
        "reaches, such as one of hdfs:// or s3a://, or to a file system that all of them mount",
    )
