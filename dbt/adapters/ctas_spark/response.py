"""What run_results.json says of one publication, and how long its steps took."""

import time
from dataclasses import dataclass

from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.steps import Step


@dataclass
class PublicationResponse(AdapterResponse):
    """The ``adapter_response`` of a model; what is not known is None and left out.

    Times are in seconds. ``reader_window`` is what readers may see during the publication:
    ``none``, ``absent`` or ``mixed``. ``conflict_check`` is ``cas``, ``lock`` or ``none``.
    ``partition_metadata`` is ``tracked``, ``files``, or ``pending`` until the next run tracks them.
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


class StepTimer:
    """Observes one publication; seconds by a monotonic clock."""

    def __init__(self) -> None:
        self._entered: dict[Step, float] = {}
        self._took: dict[Step, float] = {}

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        """Start the step's clock."""
        self._entered[step] = time.monotonic()

    def left(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        """Stop the step's clock."""
        self._took[step] = time.monotonic() - self._entered[step]

    def seconds(self, step: Step) -> float | None:
        """How long the step took; None if it did not end."""
        took = self._took.get(step)
        return None if took is None else round(took, 3)
