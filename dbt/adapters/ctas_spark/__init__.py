"""dbt on Spark with atomic tables, by the library ``ctas_spark``; dbt reads ``Plugin`` here."""

from dbt.adapters.base.plugin import AdapterPlugin
from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials
from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
from dbt.include import ctas_spark

Plugin = AdapterPlugin(
    adapter=CtasSparkAdapter,  # type: ignore[arg-type]  # as of dbt's own adapters
    credentials=CtasSparkCredentials,
    include_path=ctas_spark.PACKAGE_PATH,
    dependencies=["spark"],
)
