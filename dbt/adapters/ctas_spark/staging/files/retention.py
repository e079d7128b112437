"""What becomes of the versions of a table of files after their publication."""

from contextlib import suppress
from dataclasses import dataclass, replace

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError
from dbt.adapters.ctas_spark.staging.files.base import FileBase, look
from dbt.adapters.ctas_spark.staging.files.call import lacks_columns
from dbt.adapters.ctas_spark.staging.files.garbage import FileGarbage, changed
from dbt.adapters.ctas_spark.staging.files.partitions import drop_stale_partitions, is_pending
from dbt.adapters.ctas_spark.staging.files.record import Record, RecordState, name_of
from dbt.adapters.ctas_spark.staging.files.references import References
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.took_over import TookOver
from dbt.adapters.ctas_spark.staging.files.version import FileVersion
from dbt.adapters.ctas_spark.staging.files.versions import records_of
from dbt.adapters.ctas_spark.staging.retention.clean_up import CleanUp
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules, Sweep
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport


@dataclass(frozen=True, slots=True)
class FileRetention:
    """The versions of one target; every call raises StagingError if it can't find out enough."""

    context: StagingContext
    services: Services

    def remember(self, version: str, figures: WriteFigures) -> None:
        """Keep a published version's number and figures on its record; another's change wins."""
        name = name_of(self.context.staging_schema, self.context.target, version)
        record = Record.of(self.services.metastore.get_table(name))
        if record is None or record.state is RecordState.DELETING:
            return
        marker = look(self.services.metastore, self.context.target).marker
        number = marker.number_of(version) if marker else None
        is_new = record.state is RecordState.STAGED
        told = replace(
            record,
            state=RecordState.PUBLISHED if is_new else record.state,
            number=number or record.number,
            rows=figures.rows,
            files=figures.files,
            bytes=figures.bytes,
        )
        with suppress(EntryModifiedError):
            changed(self.services, self.context.target, told, record)

    def clean_up(self, rules: RetentionRules, *, dry_run: bool) -> Sweep:
        """Delete the versions that nobody needs any more; a dry run only looks."""
        report = StepReport(self.context.target)
        with report.within(Step.CLEAN_UP):
            if rules.moved is not None and not dry_run:
                self.services.roots.moved(self.context, rules.moved)
            freed = self._taken_over(rules, report, dry_run=dry_run)
            if not dry_run:
                self._drop_stale_partitions(rules, report)
            done = self._clean_up(rules, report, dry_run=dry_run).run()
            done.taken_over = freed
            return done

    def recover(self) -> tuple[str, ...]:
        """Fill columns, track partitions, finish deletions; what was done, as sentences."""
        report = StepReport(self.context.target)
        with report.within(Step.RECOVER):
            version = FileVersion(self.context, self.services, Atomicity.ATOMIC, report)
            before = version.look()
            done = _mended(before, version.mend(before))
            sweep = self._clean_up(RetentionRules(), report, dry_run=False).finish()
        return (*done, *(f"the deletion of {one} was finished" for one in sweep.freed))

    def _clean_up(self, rules: RetentionRules, report: StepReport, *, dry_run: bool) -> CleanUp:
        references = References(self.context, self.services, report, rules.thorough, dry_run)
        garbage = FileGarbage(self.context, self.services, report, references)
        return CleanUp(garbage, rules, report, dry_run)

    def _taken_over(self, rules: RetentionRules, report: StepReport, *, dry_run: bool) -> list[str]:
        if not rules.thorough:
            return []
        records = records_of(self.context, self.services)
        return TookOver(self.context, self.services, rules, report, dry_run).free(records)

    def _drop_stale_partitions(self, rules: RetentionRules, report: StepReport) -> None:
        """Sessions that resolved the version before still ask for them, until its grace is over."""
        base = look(self.services.metastore, self.context.target)

        def is_due() -> bool:
            return self._shown_for_ms(base) >= rules.grace_ms

        drop_stale_partitions(self.context, self.services, report, is_due)

    def _shown_for_ms(self, base: FileBase) -> int:
        shown = [
            one.time_ms
            for one in (base.marker.lineage.entries if base.marker else ())
            if not one.kind.keeps_the_version
        ]
        root = self.services.roots.root_of(self.context)
        return self.services.now_ms(root) - shown[0] if shown else 0


def _mended(before: FileBase, after: FileBase) -> tuple[str, ...]:
    filled = lacks_columns(before) and not lacks_columns(after)
    tracked = is_pending(before) and not is_pending(after)
    return (
        *(("the columns that other engines read are there now",) if filled else ()),
        *(("its partitions are tracked now",) if tracked else ()),
    )
