"""What every commit strategy does: publish one version over one base."""

from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.files.publication import Publication
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.steps import StepReport


class CommitStrategy(Protocol):
    """One way to publish a staged version."""

    @property
    def name(self) -> str:
        """The word for it in logs and run results."""

    @property
    def reaches(self) -> Atomicity:
        """The level that it can keep at most."""

    @property
    def fenceable(self) -> bool:
        """True if a fence of the base stops it; a creation expects nothing that could be fenced."""

    @property
    def reader_window(self) -> str:
        """What a reader may meet meanwhile: ``none``, or ``absent``."""

    def publish(
        self, metastore: MetastoreClient, publication: Publication, report: StepReport
    ) -> None:
        """Make the call, or calls; raise MetastoreError when one fails."""
