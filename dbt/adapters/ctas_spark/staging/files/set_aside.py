"""The entry that a commit by rename sets aside: found by its name, it can be put back.

Its parameter names the target, so that the rename itself is the durable intent: a crash after it
leaves an absent target and this entry, and the next begin puts it back.
"""

import logging
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
)
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, MetastoreClient
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

SET_ASIDE_OF = PREFIX + "set_aside_of"
SET_ASIDE_BY = PREFIX + "set_aside_by"
SET_ASIDE_LEASE = PREFIX + "set_aside_lease"
WAS_MANAGED = PREFIX + "was_managed"
EXTERNAL = "EXTERNAL"
INFIX = "__aside__"
MOST_OF_THE_TABLE_NAME = 110


@dataclass(frozen=True, slots=True)
class SetAside:
    """Where the target's old entry goes while version ``version`` takes its name.

    ``lease`` is the publishing run's: a rollback's version was made by another run.
    """

    name: TableName
    target: TableName
    version: str
    lease: str

    @classmethod
    def of(cls, target: TableName, staging_schema: str, version: str, lease: str) -> "SetAside":
        """In the schema of the records, where neither dbt nor users look for tables."""
        name = TableName(staging_schema, f"{prefix(target)}{version}")
        return cls(name, target, version, lease)

    def parameters(self, base: Base) -> dict[str, str]:
        """What is added to the old entry."""
        managed = base.entry is not None and base.entry.is_managed
        return {
            SET_ASIDE_OF: str(self.target),
            SET_ASIDE_BY: self.version,
            SET_ASIDE_LEASE: self.lease,
            **({WAS_MANAGED: "true"} if managed else {}),
        }


def prefix(target: TableName) -> str:
    """How the names of a target's entries that were set aside begin."""
    return f"{target.table[:MOST_OF_THE_TABLE_NAME]}{INFIX}"


def of_target(
    metastore: MetastoreClient, target: TableName, staging_schema: str
) -> tuple[TableEntry, ...]:
    """The target's entries that are set aside now; one, unless several crashes left theirs."""
    names = metastore.tables(staging_schema, prefix(target))
    entries = (metastore.get_table(name) for name in names)
    return tuple(
        entry for entry in entries if entry and entry.parameters.get(SET_ASIDE_OF) == str(target)
    )


def put_back(
    metastore: MetastoreClient, entry: TableEntry, target: TableName, report: StepReport
) -> None:
    """Give the old entry its name again; nothing if the name is taken or the entry is gone.

    An entry that was managed becomes so again only after the rename, which would move its data.
    """
    own = (SET_ASIDE_OF, SET_ASIDE_BY, SET_ASIDE_LEASE, WAS_MANAGED)
    parameters = {key: value for key, value in entry.parameters.items() if key not in own}
    try:
        with report.within(Step.PUT_BACK):
            metastore.rename_table(entry.name, EntryChange(target, entry, entry, parameters), None)
    except (EntryExistsError, EntryMissingError) as error:
        logger.info("%s was not put back: %s", target, error.what)
        return
    if entry.parameters.get(WAS_MANAGED):
        with report.within(Step.MAKE_MANAGED):
            _make_managed(metastore, entry, target)


def _make_managed(metastore: MetastoreClient, aside: TableEntry, target: TableName) -> None:
    """Only what was put back: another may have published over it since."""
    now = metastore.get_table(target)
    if now is None or now.location != aside.location:
        return
    managed = {key: value for key, value in now.parameters.items() if key != EXTERNAL}
    try:
        metastore.alter_table(EntryChange(target, now, now, managed), Base(now).expectation)
    except EntryModifiedError:
        logger.info("%s stays external: another changed it meanwhile", target)
