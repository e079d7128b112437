"""The seam that hooks, log, timings and crash tests share."""

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.steps import Step, observe
from fakes.world import World


class Recorder:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def entered(self, step: Step, target: TableName) -> None:
        self.seen.append(f"> {step.value} {target}")

    def left(self, step: Step, target: TableName) -> None:
        self.seen.append(f"< {step.value} {target}")


def test_observers_are_told_of_every_step_in_order() -> None:
    """Each step of a publication begins once, and ends before the next one begins."""
    recorder = Recorder()
    with observe(recorder):
        World().published()
    names = ["begin", "stage", "verify", "commit", "settle"]
    assert recorder.seen == [f"{mark} {name} shop.orders" for name in names for mark in "><"]


def test_a_failed_step_does_not_end() -> None:
    """An abort is told, and the step that failed before it is not told as done."""
    recorder = Recorder()
    staged = World().begun()
    with observe(recorder):
        staged.abort("failed")
    assert recorder.seen == ["> abort shop.orders", "< abort shop.orders"]
