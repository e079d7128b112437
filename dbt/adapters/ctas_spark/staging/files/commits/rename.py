"""Set the target's old entry aside, then create the new one: where one call can't replace it.

Between the two there is no table for readers, which is ``atomic`` and no more. A crash there is
undone by the next begin, from the entry that was set aside.
"""

import logging
from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    MetastoreError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.files import set_aside
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.publication import Publication
from dbt.adapters.ctas_spark.staging.files.restamp import restamped
from dbt.adapters.ctas_spark.staging.files.set_aside import EXTERNAL, SetAside
from dbt.adapters.ctas_spark.staging.metastore.client import (
    EntryChange,
    Expectation,
    MetastoreClient,
)
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)


class Rename:
    """Two calls on the target; a third removes what was set aside.

    ``conditional`` is False where the metastore does not compare: the last writer may win.
    """

    name = "rename"
    reaches = Atomicity.ATOMIC
    fenceable = False
    reader_window = "absent"

    def __init__(self, aside: SetAside, *, conditional: bool) -> None:
        self._aside = aside
        self._conditional = conditional

    def publish(
        self, metastore: MetastoreClient, publication: Publication, report: StepReport
    ) -> None:
        """Set aside, create, remove; put back if the metastore refuses the new entry."""
        old = self._set_aside(metastore, publication, report)
        try:
            with report.within(Step.PUBLISH):
                metastore.create_table(publication.change)
        except EntryExistsError:
            self._remove(metastore, report)
            raise
        except RefusedError:
            set_aside.put_back(metastore, old, self._aside.target, report)
            raise
        self._remove(metastore, report)

    def _set_aside(
        self, metastore: MetastoreClient, publication: Publication, report: StepReport
    ) -> TableEntry:
        base = publication.base
        parameters = self._aside.parameters(base)
        if base.entry is not None and base.entry.is_managed:
            with report.within(Step.MAKE_EXTERNAL):
                base = self._made_external(metastore, base, publication)
        entry = _there(base)
        renamed = {**entry.parameters, **parameters}
        change = EntryChange(self._aside.name, entry, entry, renamed)
        with report.within(Step.SET_ASIDE):
            metastore.rename_table(entry.name, change, self._expectation(base))
        return replace(entry, name=self._aside.name, parameters=renamed)

    def _made_external(
        self, metastore: MetastoreClient, base: Base, publication: Publication
    ) -> Base:
        """The base, external: the rename of a managed entry would move its data."""
        entry = _there(base)
        now = publication.marker.lineage.entries[0].time_ms
        change = restamped(entry, Kind.FENCE, now, {EXTERNAL: "TRUE"})
        metastore.alter_table(change, self._expectation(base))
        return Base(metastore.get_table(entry.name))

    def _expectation(self, base: Base) -> Expectation | None:
        return base.expectation if self._conditional else None

    def _remove(self, metastore: MetastoreClient, report: StepReport) -> None:
        """What stays is only an entry: the next begin removes it."""
        try:
            with report.within(Step.REMOVE_ASIDE):
                metastore.drop_entry(self._aside.name)
        except MetastoreError as error:
            logger.warning("the old entry %s stays: %s", self._aside.name, error)


def _there(base: Base) -> TableEntry:
    if base.entry is None:
        raise EntryMissingError("the target was dropped by another meanwhile")
    return base.entry
