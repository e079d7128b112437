"""How long each step of a publication took."""

import time

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.steps import Step


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
