"""Publish an earlier version of a Delta table again: Delta's own RESTORE, schema included."""

from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.delta.base import DeltaBase, look
from dbt.adapters.ctas_spark.staging.delta.calls import core_errors
from dbt.adapters.ctas_spark.staging.delta.facts import CommitFacts
from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker
from dbt.adapters.ctas_spark.staging.delta.outcomes import Since
from dbt.adapters.ctas_spark.staging.delta.publications import publications
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.errors import (
    ConcurrentWriteError,
    EntryModifiedError,
    MetastoreError,
    NoSuchVersionError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.files.publication import new_commit_id
from dbt.adapters.ctas_spark.staging.files.rollback import RolledBack
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.version_root import version_root
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
OTHERS = "another's replace"
SHOWN_BY = "the table's history"


@dataclass(frozen=True, slots=True)
class Earlier:
    """A version that can be published again: the last state of it in the log."""

    version: str
    number: int


def roll_back(
    context: StagingContext, services: Services, tables: DeltaTables, to: str | None
) -> RolledBack:
    """Publish version ``to``, or the one before the live one.

    RESTORE looks at the table once more, and refuses what another commits after that. What another
    committed between our look and its own is in the history, and the error says where.

    Raises:
        NoSuchVersionError: there is no such version, or VACUUM took its files.
        ConcurrentWriteError: another committed meanwhile.
        CommitStateUnknownError: the call's fate can't be told.
    """
    with StepReport(context.target).within(Step.ROLL_BACK):
        base = look(tables, services.metastore, context.target)
        if base.table is None:
            raise NoSuchVersionError(
                "there is no Delta table, and so no version in its history",
                table=context.target,
                left="it is unchanged",
            )
        kept = earlier(services, tables, context, base.table)
        chosen = _chosen(context, kept, base, to)
        marker = _marker(context, services, base, chosen)
        with StepReport(context.target).within(Step.COMMIT):
            failure = _restored(context, tables, marker, chosen)
            _judge(context, marker, failure, _since(context, services, tables, base))
        services.engine.refresh(context.target)
        return RolledBack(chosen.version, base.version or OTHERS, Atomicity.ISOLATED)


def earlier(
    services: Services, tables: DeltaTables, context: StagingContext, table: LoadedTable
) -> tuple[Earlier, ...]:
    """Each version once, newest first; the table's creation by us stands in its entry only."""
    commits = tuple(tables.commits(table))
    published = publications(commits, table.facts.number)
    found: dict[str, int] = {}
    for one in published:
        found.setdefault(one.marker.version, one.last)
    created = Marker.of(services.metastore.get_table(context.target))
    whole = bool(commits) and commits[-1].number == 0
    if created is not None and whole and published:
        found.setdefault(created.version, published[-1].number - 1)
    return tuple(Earlier(version, number) for version, number in found.items())


def _chosen(
    context: StagingContext, kept: tuple[Earlier, ...], base: DeltaBase, to: str | None
) -> Earlier:
    others = [one for one in kept if one.version != base.version]
    wanted = [one for one in others if to in (None, one.version)]
    if wanted:
        return wanted[0]
    what = f"there is no version {to}" if to else "there is no earlier version"
    raise NoSuchVersionError(
        f"{what} to go back to",
        table=context.target,
        left="it is unchanged",
        remedy="Delta's log still has: "
        f"{', '.join(one.version for one in others) or 'none'}; it expires commits by itself",
    )


def _marker(
    context: StagingContext, services: Services, base: DeltaBase, chosen: Earlier
) -> CommitMarker:
    root = version_root(services.metastore, context)
    return CommitMarker(
        commit=new_commit_id(),
        version=chosen.version,
        base=base.commit,
        target=str(context.target),
        level=Atomicity.ISOLATED.value,
        kind=Kind.ROLLBACK,
        time_ms=services.lease.beat(root.leases),
    )


def _since(
    context: StagingContext, services: Services, tables: DeltaTables, base: DeltaBase
) -> Since:
    after = look(tables, services.metastore, context.target)
    if base.facts is None or after.table is None or after.table.facts.root != base.facts.root:
        return None
    return tables.commits_since(after.table, base.facts.number)


def _restored(
    context: StagingContext, tables: DeltaTables, marker: CommitMarker, chosen: Earlier
) -> MetastoreError | None:
    """The failure of the call, if any. The marker is a setting of a session of its own."""
    session = tables.spark.newSession()
    session.conf.set(USER_METADATA, marker.to_text())
    name = quoting.table(context.target)
    try:
        with core_errors("restore"):
            session.sql(f"RESTORE TABLE {name} TO VERSION AS OF {chosen.number}").collect()
    except MetastoreError as error:
        return error
    return None


def _judge(
    context: StagingContext,
    marker: CommitMarker,
    failure: MetastoreError | None,
    since: Since,
) -> None:
    """Return if the restore is all that came on top of the base."""
    if since and any(
        one.marker is not None and one.marker.commit == marker.commit for one in since
    ):
        _check_alone(context, since)
    elif isinstance(failure, EntryModifiedError):
        raise conflicts.concurrent_write(context.target, failure.what) from failure
    elif isinstance(failure, RefusedError):
        raise NoSuchVersionError(
            f"Delta refused to restore version {marker.version}: {failure.what}",
            table=context.target,
            left="it is unchanged",
            remedy="if VACUUM took its files, build the model again",
        ) from failure
    else:
        raise conflicts.unknown(context.target, marker.version, failure, SHOWN_BY) from failure


def _check_alone(context: StagingContext, since: tuple[CommitFacts, ...]) -> None:
    theirs = [commit for commit in since if commit.marker is None]
    if theirs:
        number = theirs[0].number
        raise ConcurrentWriteError(
            f"another committed ({theirs[0].operation}, {number}) while the table was rolled back",
            table=context.target,
            left="it is rolled back, and what they wrote is in its history only",
            remedy=f"RESTORE TABLE {context.target} TO VERSION AS OF {number} brings theirs back",
        )
