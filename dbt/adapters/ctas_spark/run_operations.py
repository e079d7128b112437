"""The run-operations as macros call them: for this project, by this profile."""

from typing import Any

from ctas_spark.context import StagingContext
from ctas_spark.errors import NotSupportedError
from ctas_spark.publish.catalog import StagingCatalog
from dbt.adapters.ctas_spark import operations, warm_spark
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.invocation import Invocation
from dbt.adapters.ctas_spark.preview import NOTHING_STARTED
from dbt.adapters.ctas_spark.project import Project


class RunOperations:
    """What each of them prints."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._outcome = operations.Outcome("")

    def require_all(self, name: str) -> None:
        """End the operation with an error if it failed for some of its tables."""
        self._outcome.require_all(name)

    def text(self, name: str, graph: dict[str, Any], arguments: dict[str, Any]) -> str:
        """What history, rollback, vacuum or recover did."""

        def catalog_for(context: StagingContext) -> StagingCatalog:
            # starts Spark, once the arguments are right
            return self._invocation.catalogs.catalog_for(context)

        if self._invocation.preview.enabled and name != operations.HISTORY:
            raise NotSupportedError(
                f"{name} writes, and this is a preview",
                left=NOTHING_STARTED,
                remedy="run it without ctas_preview, and without CTAS_PREVIEW in the environment",
            )
        schema = self._invocation.credentials.staging_schema
        project = Project(graph, schema, catalog_for)
        self._outcome = operations.run(name, project, arguments)
        return str(self._invocation.hide_secrets(self._outcome.text))

    def archive_classes(self, arguments: dict[str, Any]) -> str:
        """What became of the archive with which Spark starts faster."""
        return operations.archive_classes(arguments, logger.info)

    def warm_spark(self, arguments: dict[str, Any]) -> str:
        """What became of the warm Spark."""
        return warm_spark.run(arguments, self._invocation.credentials, logger.info)
