"""What every commit strategy does: one call on the target."""

from typing import Protocol

from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publication import Publication


class CommitStrategy(Protocol):
    """One way to publish a staged version."""

    @property
    def name(self) -> str:
        """The word for it in logs and run results."""

    def publish(self, metastore: MetastoreClient, publication: Publication) -> None:
        """Make the one call; raise MetastoreError when it fails."""
