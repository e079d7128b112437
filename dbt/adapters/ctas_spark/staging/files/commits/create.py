"""Publish the first version of a target by one create_table."""

from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.files.publication import Publication
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport


class Create:
    """The loser of two creations gets EntryExistsError from the metastore itself."""

    name = "create"
    reaches = Atomicity.ISOLATED
    fenceable = False
    reader_window = "none"

    def publish(
        self, metastore: MetastoreClient, publication: Publication, report: StepReport
    ) -> None:
        """One create_table call."""
        with report.within(Step.PUBLISH):
            metastore.create_table(publication.change)
