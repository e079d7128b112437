"""One model's way from its plan to its outcome, and what dbt is told of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ctas_spark import quoting
from ctas_spark.context import Atomicity
from ctas_spark.engines.protocol import Job, WriteFigures
from ctas_spark.errors import StagingError
from ctas_spark.options import ModelPlan
from ctas_spark.publish import messages
from ctas_spark.publish.catalog import StagingCatalog
from ctas_spark.publish.outcome import Publication, StepTimer
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.ctas_spark.end_of_run import Published
from dbt.adapters.ctas_spark.text_tables import rows_text


@dataclass
class PublicationResponse(AdapterResponse):
    """The ``adapter_response`` of a model; what is not known is None and left out.

    ``reader_window`` is ``none`` or ``mixed``, and ``conflict_check`` ``cas``, ``lock`` or
    ``none``. ``partition_metadata`` is ``tracked``, ``files``, or ``pending`` until the next run
    tracks them.
    """

    atomicity: str | None = None
    reader_window: str | None = None
    conflict_check: str | None = None
    staging_purpose: str | None = None
    commit_strategy: str | None = None
    partition_metadata: str | None = None
    version: str | None = None
    base_version: str | None = None
    outcome: str | None = None
    bytes: int | None = None
    files: int | None = None
    stage_seconds: float | None = None
    commit_seconds: float | None = None

    @classmethod
    def of_write(
        cls, message: str, written: WriteFigures, level: Atomicity | None
    ) -> "PublicationResponse":
        """The response to a statement of a model that is not staged."""
        atomicity = level.value if level else None
        return cls(
            _message=message, rows_affected=written.rows, bytes=written.bytes, atomicity=atomicity
        )


@dataclass(frozen=True, slots=True)
class ModelBuild:
    """One model's staged table, its catalog and the rules for the versions before it.

    It is FLIP-218's ``JobStatusHook``: what a job that has finished staged is committed, and what
    one that failed or was cancelled did is aborted.
    """

    catalog: StagingCatalog
    rules: RetentionRules
    timer: StepTimer
    staged: StagedTable[Any]

    def was_staged_by(self, sql: str) -> bool:
        """Whether a statement whose answer was lost is the CTAS, and has ended well."""
        record = self.staged.record
        if f"CREATE TABLE {quoting.table(record)}" not in sql:
            return False
        return self.catalog.has_staged(self.staged.context, record)

    def on_finished(self) -> bool:
        """Commit; False if a table that another writer created meanwhile is kept."""
        self.staged.commit()
        return self.staged.outcome is Outcome.COMMITTED

    def settle(self) -> Published:
        """After the commit: refresh; what this returns is looked after when the run ends."""
        staged = self.staged
        staged.settle()
        return Published(self.catalog, staged.context, self.rules, staged.version, staged.figures)

    def on_failed(self, cause: BaseException) -> str:
        """Abort what is undecided; the line to add to the error: outcome, version, table."""
        return self._abort(cause, f"failed: {type(cause).__name__}")

    def on_canceled(self, cause: BaseException) -> str:
        """As ``on_failed``, when the run was cancelled."""
        return self._abort(cause, "cancelled")

    @property
    def holds(self) -> str:
        """What the table holds after a failure or a cancel."""
        staged = self.staged
        if staged.outcome is Outcome.COMMITTED:
            return self._published_before()
        if staged.outcome is Outcome.UNKNOWN:
            return (
                f"it is not known whether version {staged.version} was published: {staged.target} "
                "shows it or its old version, and neither was deleted"
            )
        if staged.outcome is Outcome.KEPT:
            return f"{staged.target} was kept as it was, and {messages.NOTHING_PUBLISHED}"
        return f"{self._unchanged}, and {messages.NOTHING_PUBLISHED}"

    def response(self) -> PublicationResponse:
        """The ``adapter_response``, whose message ends the model's console line."""
        publication = Publication.of(self.staged, self.catalog, self.timer)
        return PublicationResponse(
            _message=self._message(publication),
            code=publication.outcome.value,
            rows_affected=publication.rows,
            outcome=publication.outcome.value,
            atomicity=publication.atomicity.value,
            reader_window=publication.reader_window,
            conflict_check=publication.conflict_check,
            staging_purpose=publication.purpose.value,
            commit_strategy=publication.strategy,
            partition_metadata=publication.partition_metadata,
            version=publication.version,
            base_version=publication.base,
            bytes=publication.bytes,
            files=publication.files,
            stage_seconds=publication.stage_seconds,
            commit_seconds=publication.commit_seconds,
        )

    def _message(self, publication: Publication) -> str:
        if publication.outcome is Outcome.KEPT:
            is_of_stream = publication.purpose.may_replace  # which no other table is kept by
            return f"kept: {'its stream has nothing new' if is_of_stream else 'the table exists'}"
        counted = "" if publication.rows is None else f"{rows_text(publication.rows)} "
        return f"{counted}published"

    def _abort(self, cause: BaseException, why: str) -> str:
        self.staged.abort(why)
        decided = self.staged.outcome is not Outcome.NOT_COMMITTED
        return f"outcome: {self.holds if decided else self._not_published(cause)}"

    def _not_published(self, cause: BaseException) -> str:
        """The table's state, unless the error tells it, and what became of the version."""
        staged, reason = self.staged, cause.__cause__
        says_what_is_left = isinstance(reason, StagingError) and bool(reason.left)
        state = "" if says_what_is_left else f", and {self._unchanged}"
        if not staged.left_behind:
            return f"nothing was published; version {staged.version} was discarded{state}"
        left = f"a later run deletes what is left of version {staged.version}"
        return f"nothing was published{state}; {left}: {', '.join(staged.left_behind)}"

    def _published_before(self) -> str:
        what = f"version {self.staged.version} of {self.staged.target} was published before the"
        if self.staged.level is Atomicity.NONE:
            return f"{what} error; at atomicity none, it keeps the rows written until then"
        return f"{what} error, and stays published"

    @property
    def _unchanged(self) -> str:
        return messages.unchanged(self.staged.base, str(self.staged.target))


def planned(
    catalog: StagingCatalog,
    model: ModelPlan,
    job: Job,
    *,
    adds: bool = False,
    only_by_query: bool = False,
) -> Callable[[], ModelBuild]:
    """Decide the level, or refuse it, before any job; what this returns begins the build.

    ``adds`` and ``only_by_query`` are those of the ``Plan``.
    """
    timer = StepTimer()
    plan = catalog.plan(model.context, job)
    plan = replace(plan, observers=(timer,), adds=adds, only_by_query=only_by_query)
    return lambda: ModelBuild(catalog, model.retention, timer, plan.begin())
