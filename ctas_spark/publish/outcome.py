"""What became of one publication, for whoever asked for it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..context import Atomicity, StagingPurpose, TableName
from ..steps import Step
from .catalog import StagingCatalog
from .staged_table import StagedTable
from .version import Outcome

IN_PLACE = "in_place"


class StepTimer:
    """Observes one publication; ``seconds`` has the steps that ended, by a monotonic clock."""

    def __init__(self) -> None:
        self.seconds: dict[Step, float] = {}
        self._entered: dict[Step, float] = {}

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        self._entered[step] = time.monotonic()

    def left(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        self.seconds[step] = round(time.monotonic() - self._entered[step], 3)


@dataclass(frozen=True, slots=True)
class Publication:
    """The outcome of one publication; what nobody knows is None.

    ``outcome`` is ``committed``, or ``kept`` where the purpose keeps a table that exists; only a
    commit has a ``version``, the ``base`` version that it replaced (None if there was none of this
    package), a ``strategy`` (the call that published it), ``partition_metadata`` (``tracked``,
    ``files``, or ``pending`` until the next run tracks them), ``rows``, ``files`` and ``bytes``.
    ``atomicity`` is the level that was kept; ``reader_window`` is ``none``, or ``mixed`` if a read
    at the moment of the commit may have got parts of both versions; ``conflict_check`` is ``cas``,
    ``lock`` or ``none``. ``stage_seconds`` are those of the Spark job, ``commit_seconds`` those of
    the commit, and ``seconds`` those of all steps.
    """

    table: str
    outcome: Outcome
    purpose: StagingPurpose
    atomicity: Atomicity
    reader_window: str
    conflict_check: str
    version: str | None = None
    base: str | None = None
    strategy: str | None = None
    partition_metadata: str | None = None
    rows: int | None = None
    files: int | None = None
    bytes: int | None = None
    stage_seconds: float | None = None
    commit_seconds: float | None = None
    seconds: float = 0.0

    @classmethod
    def of(
        cls, staged: StagedTable[Any], catalog: StagingCatalog, timer: StepTimer
    ) -> "Publication":
        """What can be said of a staged table once its outcome is known, or as far as it is."""
        reached = catalog.capabilities(staged.context.staging_schema)
        outcome = staged.outcome or Outcome.UNKNOWN
        in_place = staged.level is Atomicity.NONE
        return cls(
            str(staged.target),
            outcome,
            staged.context.purpose,
            staged.level,
            "mixed" if in_place else staged.reach.reader_window,
            staged.reach.conflict_check or reached.conflict_check.value,
            stage_seconds=timer.seconds.get(Step.STAGE),
            commit_seconds=timer.seconds.get(Step.COMMIT),
            seconds=round(sum(timer.seconds.get(step, 0.0) for step in STEPS), 3),
            **(_committed(staged) if outcome is Outcome.COMMITTED else {}),
        )


STEPS = (Step.BEGIN, Step.STAGE, Step.VERIFY, Step.COMMIT, Step.SETTLE)
"""Those that follow one another; others run within them."""


def _committed(staged: StagedTable[Any]) -> Mapping[str, Any]:
    """What only a commit has."""
    return {
        "version": staged.version,
        "base": staged.base.version,
        "strategy": IN_PLACE if staged.level is Atomicity.NONE else staged.reach.strategy,
        "partition_metadata": staged.partition_metadata,
        "rows": staged.figures.rows,
        "files": staged.figures.files,
        "bytes": staged.figures.bytes,
    }
