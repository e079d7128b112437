"""Who keeps a target's partitions, noted durably: a lock that ran out does not tell.

The note stands on the record of the version. A holder that was paused, lost its lock and wakes up
would change partitions under the next holder's eyes; as long as that can happen, nobody tracks.
"""

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import StagedVersionGoneError
from dbt.adapters.ctas_spark.staging.files.records import (
    BOOKKEEPER,
    BOOKKEEPING,
    NOBODY,
    SOMEBODY,
    annotate,
    leases_of,
)
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import TARGET
from dbt.adapters.ctas_spark.staging.retention import lease_file


def note(services: Services, record: TableName, now_ms: int) -> None:
    """Say on the record that this run changes the target's partitions from now on.

    Raises:
        StagedVersionGoneError: the record is gone; nothing may be changed without it.
    """
    noted = {BOOKKEEPING: SOMEBODY, BOOKKEEPER: f"{services.lease.id}:{now_ms}"}
    if not annotate(services, record, noted):
        raise StagedVersionGoneError(f"the record {record} of the version is gone")


def done(services: Services, record: TableName) -> None:
    """Say that it does so no more; a record that is gone says so, too."""
    annotate(services, record, {BOOKKEEPING: NOBODY})


def may_wake_up(context: StagingContext, services: Services, now_ms: int) -> bool:
    """True if a holder before us noted no end and may still run; the lock is held by us.

    One that is known to have ended, or that began ``unknown_after`` ago, is forgotten.
    """
    names = services.metastore.tables_with(context.staging_schema, BOOKKEEPING, SOMEBODY)
    open_notes = [services.metastore.get_table(name) for name in names]
    of_target = [
        record
        for record in open_notes
        if record and record.parameters.get(TARGET) == str(context.target)
    ]
    waits = [_may_run(record, context, services, now_ms) for record in of_target]
    if any(waits):
        return True
    for record in of_target:
        done(services, record.name)
    return False


def _may_run(record: TableEntry, context: StagingContext, services: Services, now_ms: int) -> bool:
    lease, _, began = record.parameters.get(BOOKKEEPER, "").partition(":")
    if lease == services.lease.id:
        return False  # a run keeps one target in one thread, and this is it
    if began.isdecimal() and now_ms - int(began) > context.unknown_after_seconds * 1000:
        return False
    directory = leases_of(record)
    if directory is None:
        return True
    state = lease_file.state_of(services.storage, directory, lease, now_ms)
    return not state.is_over
