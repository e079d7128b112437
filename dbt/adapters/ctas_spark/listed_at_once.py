"""The relations of a schema in the session catalog, in a few calls of the metastore.

SHOW TABLE EXTENDED asks for one table after the other: for a schema of 5,000 tables, 5,000 times.
"""

import re
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark.staging.catalogs.kinds import SESSION_OF_ICEBERG, implementation_of
from dbt.adapters.ctas_spark.staging.catalogs.settings import CATALOG_OF_DELTA
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG
from dbt.adapters.ctas_spark.staging.engines import jvm

Row = tuple[str, str, bool, str]

LISTED_BY_METASTORE = (None, CATALOG_OF_DELTA, SESSION_OF_ICEBERG)
"""Session catalogs that ask the metastore when the statement runs; others may list otherwise."""
PATH = re.compile(r"^Database: (.*)\nTable: (.*)$", re.MULTILINE)


def rows(spark: Any, database: str) -> list[Row]:
    """The rows of SHOW TABLE EXTENDED; none where the statement has to be run, or is to fail."""
    if not jvm.is_local(spark):
        return []
    if implementation_of(spark, SESSION_CATALOG) not in LISTED_BY_METASTORE:
        return []
    try:
        told = jvm.described_tables(spark, database)
    except (Py4JError, PySparkException):
        return []
    return [(*PATH.findall(one)[0], False, one) for one in told]
