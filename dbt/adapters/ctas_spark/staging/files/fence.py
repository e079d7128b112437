"""Make sure that an attempt of a dead run can no longer land."""

from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.restamp import restamped
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import Kind


def fence(
    metastore: MetastoreClient, entry: TableEntry, now: int, *, conditional: bool = True
) -> bool:
    """Change the key that an attempt over ``entry`` expects.

    True if it is changed by this call or by a rival's before it: either way the old value is gone.

    Args:
        entry: the target, read just before.
        now: the storage's time in milliseconds.
        conditional: the metastore compares and swaps; else the lock of all writers is held.

    Raises:
        MetastoreError: the fence may or may not stand.
    """
    expected = Base(entry).expectation
    if conditional and expected is None:
        return False
    change = restamped(entry, Kind.FENCE, now)
    try:
        metastore.alter_table(change, expected if conditional else None)
    except EntryModifiedError:
        return True
    return True
