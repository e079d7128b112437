"""What goes when a staged version is published, and what when it is not."""

from dbt.adapters.ctas_spark.staging.delta.notes import Note
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.publish.discard import Removal, empty, still_there
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

LOG = "_delta_log"


def forget(services: Services, note: Note, report: StepReport) -> list[str]:
    """It is published: its files are the target's now, and only its own log goes.

    What is left, in words. Never raises.
    """
    log = f"{note.stage}/{LOG}"
    files = (Step.DELETE_FILES, f"directory {log}", lambda: empty(services.storage, log))
    return still_there(report, files, _entry(services, note), _note(services, note))


def discard(services: Services, note: Note, report: StepReport, *, keep: bool) -> list[str]:
    """It is not published: exactly its directory goes, then its entries.

    Args:
        keep: leave the record, because its writer may wake up and write files once more.
    """
    stage = note.stage
    files = (Step.DELETE_FILES, f"directory {stage}", lambda: empty(services.storage, stage))
    last = () if keep else (_note(services, note),)
    return still_there(report, files, _entry(services, note), *last)


def _entry(services: Services, note: Note) -> Removal:
    entry = note.record
    return Step.DELETE_RECORD, f"entry {entry}", lambda: services.metastore.drop_entry(entry)


def _note(services: Services, note: Note) -> Removal:
    record = note.name
    return Step.DELETE_RECORD, f"record {record}", lambda: services.metastore.drop_entry(record)
