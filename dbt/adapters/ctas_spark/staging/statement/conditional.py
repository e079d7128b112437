"""A commit in a catalog that refuses one over another's: staged, looked at again, committed."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.statement.base import StatementBase, change_between, look
from dbt.adapters.ctas_spark.staging.statement.staged_change import Stage, StagedChange
from dbt.adapters.ctas_spark.staging.statement.statement import all_of, provider_of
from dbt.adapters.ctas_spark.staging.statement.tables import CatalogTables

logger = logging.getLogger(__name__)

PROVIDER = "provider"
COMMENT = "comment"


def publish_over(
    tables: CatalogTables,
    context: StagingContext,
    record: TableName,
    own: Mapping[str, str],
    over: StatementBase,
) -> None:
    """Publish ``record`` over what ``over`` saw, and over nothing else.

    A rival that came before the stage is seen by the second look, and one after it by the catalog.

    Raises:
        RefusedError: nothing was committed.
        MetastoreError: the commit failed, and it may or may not have had its effect.
    """
    layout, target = context.layout, context.target
    said = {PROVIDER: provider_of(layout), COMMENT: layout.comment}
    named = {key: value for key, value in said.items() if value is not None}
    properties = {**named, **layout.properties, **own}
    how = Stage.REPLACE if over.exists else Stage.CREATE
    with _nothing_committed():
        change = tables.stage(how, target, all_of(record), record, properties)
    try:
        with _nothing_committed():
            if change_between(over, look(tables, target)) is not Change.NONE:
                raise EntryModifiedError(f"{target} was changed before the commit was staged")
            change.write()
    except RefusedError:
        _give_up(change)
        raise
    change.commit()


@contextmanager
def _nothing_committed() -> Iterator[None]:
    """Whatever fails here, fails before the commit."""
    try:
        yield
    except RefusedError:
        raise
    except MetastoreError as error:
        raise RefusedError(f"nothing was committed: {error}") from error


def _give_up(change: StagedChange) -> None:
    try:
        change.abort()
    except MetastoreError as error:
        logger.warning("what was staged is not committed, and may take space: %s", error)
