"""Delta tables in Spark's session catalog, if that is Delta's own class.

It needs the driver's JVM: Delta's transaction takes the version that it is conditional on only
there, and SQL has no words for it.
"""

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from ..context import Atomicity, StagingContext, TableName
from ..engines.protocol import Job, WriteFigures
from ..errors import NoSuchVersionError
from ..files.catalog import SessionCatalog
from ..publish import messages
from ..publish.catalog import Capabilities, Deletion, StagingCatalog, without
from ..publish.rollback import NONE_KEPT, OF_A_FORMAT, TO_HAVE_ONE, RolledBack, roll_back
from ..publish.staged_table import Plan
from ..publish.version import Version
from ..retention.clean_up import CleanUp
from ..retention.rules import Event, Reason, RetentionRules, Sweep
from ..steps import Step, StepReport
from . import record as records
from . import restore
from .base import LOOKED_BACK, DeltaTable, is_delta
from .garbage import DeltaGarbage
from .limits import TRIED_JARS, problems
from .tables import DeltaTables
from .version import DeltaVersion


class DeltaCatalog(StagingCatalog):
    """A ``StagingCatalog`` for Delta models; ``files`` creates tables and replaces others."""

    def __init__(self, files: SessionCatalog, tables: DeltaTables) -> None:
        self._files = files
        self._tables = tables

    def capabilities(self, staging_schema: str) -> Capabilities:
        """What the session catalog reaches, which creates tables and replaces others."""
        return self._files.capabilities(staging_schema)

    def plan(self, context: StagingContext, job: Job) -> Plan:
        """Decide the level; what stands in the target's place decides how it is kept.

        Over a Delta table the level is ``isolated`` whatever the metastore reaches.
        """
        self._refuse(context)
        self._files.refuse_unknown_location(context)
        services = self._files.services(context.staging_schema, context.target)
        is_asked = context.atomicity is not Atomicity.AUTO
        level = context.atomicity if is_asked else Atomicity.ISOLATED
        return Plan(context, level, job, partial(self._open, context), services.clock)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        return self.begin_clean_up(context, rules, dry_run=dry_run)()

    def begin_clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Deletion:
        """Delete what was staged and never published; Delta's VACUUM expires the rest.

        A whole table that was replaced is a superseded version of the session catalog: of these the
        returned call deletes what may go.
        """
        done = self._swept(context, rules, dry_run=dry_run)
        delete = self._files.begin_clean_up(context, rules, dry_run=dry_run)
        return partial(self._end_clean_up, context, done, delete)

    def _swept(self, context: StagingContext, rules: RetentionRules, *, dry_run: bool) -> Sweep:
        """What was staged on the table."""
        report = StepReport(context.target)
        garbage = DeltaGarbage(self._table(context), report)
        with report.within(Step.CLEAN_UP):
            if not dry_run:
                garbage.forget_published()
            return CleanUp(garbage, rules, report, dry_run=dry_run).run()

    def _end_clean_up(self, context: StagingContext, done: Sweep, delete: Deletion) -> Sweep:
        of_files = delete()
        shown = {
            event.version: Reason.LIVE if event.state == "live" else Reason.NATIVE
            for event in reversed(self.history(context, LOOKED_BACK))
            if event.state != "deleted"
        }
        done.kept |= shown
        done.add(of_files)
        # the entry names the version that created the table, whatever Delta's log shows since
        done.kept |= {one: why for one, why in shown.items() if done.kept[one] is Reason.LIVE}
        return done

    def abandoned(
        self, context: StagingContext, known: Collection[TableName]
    ) -> tuple[TableName, ...]:
        """Tables that were created here, as one of files is, and those with a staged version."""
        staged = records.targets_in(self._files.entries_in(context.staging_schema))
        return without((*staged, *self._files.abandoned(context, known)), known)

    def begin_clean_up_abandoned(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Deletion:
        done = self._swept(context, rules, dry_run=dry_run)
        delete = self._files.begin_clean_up_abandoned(context, rules, dry_run=dry_run)
        return partial(_added, done, delete)

    def drop_left_views(
        self, context: StagingContext, *, dry_run: bool = False
    ) -> tuple[TableName, ...]:
        return self._files.drop_left_views(context, dry_run=dry_run)

    def forget_staging_schema(self, context: StagingContext) -> bool:
        return self._files.forget_staging_schema(context)

    def recover(self, context: StagingContext) -> tuple[str, ...]:
        """Forget what was published, and finish deletions that were begun."""
        report = StepReport(context.target)
        garbage = DeltaGarbage(self._table(context), report)
        with report.within(Step.RECOVER):
            published = garbage.forget_published()
            finished = CleanUp(garbage, RetentionRules(), report).finish()
            finished.require_all()
        return (
            *(f"version {one} is published; its record was removed" for one in published),
            *(f"the deletion of {one} was finished" for one in finished.freed),
            *self._files.recover(context),
        )

    def history(self, context: StagingContext, most: int | None = None) -> tuple[Event, ...]:
        """The publications that Delta's log still has, then what the entry's lineage knows.

        ``most`` limits how many commits are read, the newest first.
        """
        base = self._table(context).look()
        before = self._files.history(context)
        if base.table is None:
            return before
        commits = tuple(islice(self._tables.commits(base.table), most))
        inside = restore.history(commits)
        if restore.decisive(commits) is not None:  # since the lineage's last word
            before = tuple(
                replace(one, state="kept") if one.state == "live" else one for one in before
            )
        elif restore.changes_rows(commits):
            before = tuple(replace(one, changed_in_place=one.state == "live") for one in before)
        return (*inside, *before)

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """Restore version ``to``, or the one before the live one, by one commit.

        The session catalog rolls back what is not a Delta table, and to what was there before one.
        """
        restoring = restore.DeltaRestoring(self._table(context))
        earlier = restoring.earlier()
        if earlier and to in (None, *earlier):
            return roll_back(context, restoring, Atomicity.ISOLATED, to)
        try:
            return self._files.roll_back(context, to)
        except NoSuchVersionError as error:
            if restoring.look().table is not None and error.remedy in {NONE_KEPT, TO_HAVE_ONE}:
                error.remedy = OF_A_FORMAT
            raise

    def _table(self, context: StagingContext) -> DeltaTable:
        return DeltaTable(
            context, self._files.services(context.staging_schema, context.target), self._tables
        )

    def _open(self, context: StagingContext, level: Atomicity, report: StepReport) -> Version[Any]:
        """One attempt, by what stands in the target's place."""
        table = self._table(context)
        if is_delta(table.entry()):
            return DeltaVersion(table)
        able = table.services.capabilities
        if context.atomicity is not Atomicity.AUTO:
            able.level_for(context.atomicity, context.target)  # refuses what is not reached
        kept = min(level, able.reaches, key=lambda one: one.strength)
        return self._files.open_version(context, kept, report, self._figures)

    def _figures(self, directory: str) -> WriteFigures:
        table = self._tables.at(directory)
        return self._tables.figures(table) if table else WriteFigures()

    def _refuse(self, context: StagingContext) -> None:
        found = "; ".join(problems(context))
        if found:
            what = f"this configuration is not Delta's: {found}"
            raise messages.unsupported(context.target, what, remedy="")
        if not self._tables.fits():
            what = "this release of Delta commits in a way that this adapter does not know"
            remedy = f"use one that was tested: {', '.join(TRIED_JARS.values())}"
            raise messages.unsupported(context.target, what, remedy)


def _added(done: Sweep, delete: Deletion) -> Sweep:
    done.add(delete())
    return done
