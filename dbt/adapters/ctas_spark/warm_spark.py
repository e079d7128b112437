"""The run-operation that starts and ends a warm Spark, which later runs use."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ctas_spark.context import SESSION_CATALOG
from ctas_spark.engines import given
from ctas_spark.engines.precedence import complete
from ctas_spark.errors import NotSupportedError
from ctas_spark.warm import launching
from ctas_spark.warm.attached import STOP_COMMAND
from ctas_spark.warm.needs import Needs
from ctas_spark.warm.resident import Order
from dbt.adapters.ctas_spark.credentials import SESSION, CtasSparkCredentials
from dbt.adapters.ctas_spark.methods import log_directory, project_directory, session_settings
from dbt.adapters.ctas_spark.operations import WARM, check
from dbt.adapters.ctas_spark.project import Arguments

IDLE_MINUTES = 30


def run(arguments: Arguments, profile: CtasSparkCredentials, say: Callable[[str], None]) -> str:
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
