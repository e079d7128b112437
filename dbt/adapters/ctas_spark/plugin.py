"""What dbt loads: the adapter, its profile and its macros, on top of dbt-spark's."""

from dbt.adapters.base.plugin import AdapterPlugin
from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials
from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
from dbt.include import ctas_spark

Plugin = AdapterPlugin(
    adapter=CtasSparkAdapter,  # type: ignore[arg-type]  # dbt's protocol is stricter than its base
    credentials=CtasSparkCredentials,
    include_path=ctas_spark.PACKAGE_PATH,
    dependencies=["spark"],
)
