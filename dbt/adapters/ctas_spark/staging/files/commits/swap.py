"""Replace the target's whole entry by one alter_table, conditional on the base."""

from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.files.publication import Publication
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport


class Swap:
    """Schema, location, format, properties and table type change together.

    ``conditional`` is False only under a lock that every writer of the metastore takes.
    """

    name = "swap"
    reaches = Atomicity.ISOLATED
    fenceable = True
    reader_window = "none"

    def __init__(self, *, conditional: bool) -> None:
        self._conditional = conditional

    def publish(
        self, metastore: MetastoreClient, publication: Publication, report: StepReport
    ) -> None:
        """One alter_table call."""
        expected = publication.base.expectation if self._conditional else None
        with report.within(Step.PUBLISH):
            metastore.alter_table(publication.change, expected)
