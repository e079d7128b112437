"""The second call of some publications: the columns that other engines read.

Where a server refuses new types at old positions, the publishing call leaves the entry without
columns. Spark does not read them, but its INSERT and ALTER fail on such an entry: so they are
filled at once, and by whoever comes next where a run died in between.
"""

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError
from dbt.adapters.ctas_spark.staging.files.base import FileBase, look
from dbt.adapters.ctas_spark.staging.files.publication import columns_beside_kept_keys
from dbt.adapters.ctas_spark.staging.files.record import name_of
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import PLACEHOLDER, Column
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

MOST_ATTEMPTS = 10


def lacks_columns(base: FileBase) -> bool:
    """True for a table of ours whose second call is still to come."""
    return base.table is not None and base.marker is not None and not base.table.columns


def fill_columns(
    services: Services, staging_schema: str, target: TableName, report: StepReport
) -> bool:
    """Give Hive the columns of the version that the target shows; True if this call did.

    It expects the commit id and keeps it: nobody's base changes by it.

    Raises:
        MetastoreError: it was not made, or may not have been.
    """
    for _ in range(MOST_ATTEMPTS):
        now = look(services.metastore, target)
        if not lacks_columns(now) or now.entry is None:
            return False
        change = EntryChange.of_columns(now.entry, _columns(services, staging_schema, now))
        expected = now.expectation if services.conditional else None
        try:
            with report.within(Step.FILL_COLUMNS):
                services.metastore.alter_table(change, expected)
        except EntryModifiedError:
            continue
        return True
    return False


def _columns(services: Services, staging_schema: str, now: FileBase) -> tuple[Column, ...]:
    """Those of the version's record; Spark's placeholder where that is gone."""
    if now.entry is None or now.version is None:
        return (PLACEHOLDER,)
    staged = services.metastore.get_table(name_of(staging_schema, now.entry.name, now.version))
    return (PLACEHOLDER,) if staged is None else columns_beside_kept_keys(staged, now.entry)
