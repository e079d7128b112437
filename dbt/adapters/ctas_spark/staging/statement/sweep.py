"""Drop what dead runs staged in a catalog that publishes by statement; nothing of it was published.

A publication copies the rows of what was staged, so the target never needs it again. A writer that
wakes up after it was taken for dead finds it gone, and publishes nothing.
"""

import logging

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.files.records import lease_of, record_prefix, version_of
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep
from dbt.adapters.ctas_spark.staging.publish.marker import TARGET
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from dbt.adapters.ctas_spark.staging.statement.services import StatementServices
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)


def sweep(
    context: StagingContext,
    services: StatementServices,
    rules: RetentionRules,
    *,
    dry_run: bool = False,
) -> Sweep:
    """Drop what was staged for the target and has no living owner.

    Raises:
        MetastoreError, StorageError: it could not be found out whether something may go.
    """
    done, report = Sweep(), StepReport(context.target)
    runs = services.other_runs(context.staging_schema, rules)
    for staged in staged_for(context, services):
        version = version_of(staged)
        lease = lease_of(version)
        if runs.is_over(lease):
            if not dry_run:
                with report.within(Step.DELETE_RECORD):
                    services.tables.drop(staged)
                logger.info("version %s of %s was deleted", version, context.target)
            done.freed.append(str(staged))
        else:
            silent = runs.state_of(lease) is LeaseState.EXPIRED
            done.kept[version] = Reason.UNFENCED if silent else Reason.RUNNING
    return done


def staged_for(context: StagingContext, services: StatementServices) -> tuple[TableName, ...]:
    """The staged tables of the target, whoever made them."""
    prefix, target = record_prefix(context.target), str(context.target)
    found = []
    for name in services.tables.tables(context.staging_schema):
        rest = name.table.removeprefix(prefix)
        if not name.table.startswith(prefix) or not services.version_id.fullmatch(rest):
            continue
        facts = services.tables.find(name)
        if facts is not None and facts.properties.get(TARGET) == target:
            found.append(name)
    return tuple(found)
