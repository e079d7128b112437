"""Staged tables: begin, stage, commit or abort one table on a Spark catalog.

This package knows Spark and its catalogs and nothing of dbt.
"""

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, StagingCatalog
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.publish.plan import JobStatusHook
from dbt.adapters.ctas_spark.staging.publish.staged_table import StagedTable
from dbt.adapters.ctas_spark.staging.publish.version import Outcome
from dbt.adapters.ctas_spark.staging.steps import Step, observe

__all__ = [
    "Atomicity",
    "Capabilities",
    "JobStatusHook",
    "OnConflict",
    "Outcome",
    "StagedTable",
    "StagingCatalog",
    "StagingContext",
    "StagingError",
    "StagingPurpose",
    "Step",
    "TableLayout",
    "TableName",
    "observe",
]
