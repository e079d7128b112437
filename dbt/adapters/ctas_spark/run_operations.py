"""The run-operations as macros call them: for this project, by this profile."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ctas_spark.context import SESSION_CATALOG, StagingContext
from ctas_spark.engines import given
from ctas_spark.engines.precedence import complete
from ctas_spark.errors import NotSupportedError
from ctas_spark.publish.catalog import StagingCatalog
from ctas_spark.warm import launching
from ctas_spark.warm.attached import STOP_COMMAND
from ctas_spark.warm.needs import Needs
from ctas_spark.warm.resident import Order
from dbt.adapters.ctas_spark import operations
from dbt.adapters.ctas_spark.credentials import SESSION, CtasSparkCredentials
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.invocation import Invocation
from dbt.adapters.ctas_spark.methods import log_directory, project_directory, session_settings
from dbt.adapters.ctas_spark.operations import WARM, check
from dbt.adapters.ctas_spark.preview import NOTHING_STARTED
from dbt.adapters.ctas_spark.project import Arguments, Project

IDLE_MINUTES = 30


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
        return _warm_spark(arguments, self._invocation.credentials, logger.info)


def _warm_spark(
    arguments: Arguments, profile: CtasSparkCredentials, say: Callable[[str], None]
) -> str:
    """What became of the warm Spark; ``say`` is told to wait.

    Raises:
        InvalidArgumentError: arguments are wrong.
        MetastoreInUseError: another Spark has the project's embedded metastore open.
        NotSupportedError: the profile's Spark is a server, or spark-submit's.
        SparkNotStartedError: it could not start.
    """
    check(WARM, arguments)
    if profile.method != SESSION:
        raise NotSupportedError(
            f"a warm Spark runs next to dbt, but with method: {profile.method} a server runs Spark",
            left="nothing was started",
            remedy="use method: session",
        )
    if given.is_there():
        raise NotSupportedError(
            f"this process uses the Spark of {given.source()}, and no other can be started from it",
            left="nothing was started",
            remedy="run dbt by itself",
        )
    settings, project = session_settings(profile), project_directory()
    logs = Path(log_directory()).absolute()
    wanted = complete(settings, str(logs), project)
    needs = Needs.of(wanted, settings)
    if arguments.get("stop"):
        return _stopped(launching.stop(needs, say))
    asked = arguments.get("idle_minutes")
    minutes = IDLE_MINUTES if asked is None else asked
    order = Order(
        settings=wanted,
        digests=needs.digests,
        logs=str(logs),
        project=str(project),
        database=needs.database,
        idle_seconds=minutes * 60.0,
        uses_metastore=profile.database == SESSION_CATALOG,
    )
    return f"{launching.start(needs, order, say)}\n{STOP_COMMAND} ends it"


def _stopped(processes: Sequence[int]) -> str:
    if not processes:
        return "no warm Spark was started in this directory"
    return f"ended: the warm Spark of process {', '.join(map(str, processes))}"
