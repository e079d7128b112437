"""Publish the first version of a target by one create_table."""

from dbt.adapters.ctas_spark.staging import records
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publication import Publication


class Create:
    """The loser of two creations gets EntryExistsError from the metastore itself.

    A creation can't be fenced, so its record says ``committing`` before the call.
    """

    name = "create"

    def __init__(self, *, conditional: bool) -> None:
        self._conditional = conditional

    def publish(self, metastore: MetastoreClient, publication: Publication) -> None:
        """Move the record, then one create_table call."""
        attempt = publication.marker.commit
        records.mark_committing(
            metastore, publication.staged, attempt, conditional=self._conditional
        )
        metastore.create_table(publication.change)
