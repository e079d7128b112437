"""What becomes of the versions of a table of files after their publication."""

from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError
from dbt.adapters.ctas_spark.staging.files.base import FileBase
from dbt.adapters.ctas_spark.staging.files.call import lacks_columns
from dbt.adapters.ctas_spark.staging.files.garbage import FileGarbage
from dbt.adapters.ctas_spark.staging.files.partitions import drop_stale_partitions
from dbt.adapters.ctas_spark.staging.files.reach import is_pending
from dbt.adapters.ctas_spark.staging.files.record import Record, RecordState
from dbt.adapters.ctas_spark.staging.files.references import References
from dbt.adapters.ctas_spark.staging.files.table import FileTable
from dbt.adapters.ctas_spark.staging.files.took_over import TookOver
from dbt.adapters.ctas_spark.staging.files.version import FileVersion
from dbt.adapters.ctas_spark.staging.retention.clean_up import CleanUp
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules, Sweep
from dbt.adapters.ctas_spark.staging.steps import Step


@dataclass(frozen=True, slots=True)
class FileRetention:
    """The versions of one target; every call raises StagingError if it can't find out enough."""

    table: FileTable

    def remember(self, version: str, figures: WriteFigures) -> None:
        """Keep a published version's number and figures on its record; another's change wins."""
        record = Record.of(self.table.metastore.get_table(self.table.record_name(version)))
        if record is None or record.state is RecordState.DELETING:
            return
        marker = self.table.look().marker
        number = marker.number_of(version) if marker else None
        is_new = record.state is RecordState.STAGED
        state = RecordState.PUBLISHED if is_new else record.state
        told = replace(record, state=state, number=number or record.number, **asdict(figures))
        with suppress(EntryModifiedError):
            self.table.move(told, record)

    def clean_up(self, rules: RetentionRules, *, dry_run: bool) -> Sweep:
        with self.table.report.within(Step.CLEAN_UP):
            if rules.moved is not None and not dry_run:
                self.table.services.roots.moved(self.table.context, rules.moved)
            freed = TookOver(self.table, rules, dry_run).free() if rules.thorough else []
            if not dry_run:
                drop_stale_partitions(self.table, rules.grace_ms)
            done = self._clean_up(rules, dry_run=dry_run).run()
            done.taken_over = freed
            return done

    def recover(self) -> tuple[str, ...]:
        """Fill columns, track partitions, finish deletions; what was done, as sentences."""
        with self.table.report.within(Step.RECOVER):
            version = FileVersion(self.table, Atomicity.ATOMIC)
            before = version.look()
            done = _mended(before, version.mend(before))
            sweep = self._clean_up(RetentionRules(), dry_run=False).finish()
        return (*done, *(f"the deletion of {one} was finished" for one in sweep.freed))

    def _clean_up(self, rules: RetentionRules, *, dry_run: bool) -> CleanUp:
        references = References(self.table, rules.thorough, dry_run)
        garbage = FileGarbage(self.table, references)
        return CleanUp(garbage, rules, self.table.report, dry_run)


def _mended(before: FileBase, after: FileBase) -> tuple[str, ...]:
    filled = lacks_columns(before) and not lacks_columns(after)
    tracked = is_pending(before) and not is_pending(after)
    return (
        *(("the columns that other engines read are there now",) if filled else ()),
        *(("its partitions are tracked now",) if tracked else ()),
    )
