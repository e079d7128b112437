"""``--fail-fast``: a model fails while another one's job runs."""

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe
from faults.numbered import A_WHILE_MS, NOTHING_KEPT, TABLE, Numbered
from servers.processes import wait_until

BROKEN = "broken"
# No task of its own: the session runs one at a time, which is the other model's.
BROKEN_MODEL = "{{ config(materialized='atomic_table') }} select nothing_like_it as v"
WITHIN_SECONDS = 480.0


class BreaksLater:
    """Holds the broken model back until a task of the other one writes."""

    def __init__(self, numbered: Numbered) -> None:
        self._numbered = numbered

    def entered(self, step: Step, target: TableName) -> None:
        """Its job begins."""
        if (step, target.table) == (Step.STAGE, BROKEN):
            wait_until(self._numbered.is_writing, WITHIN_SECONDS, "a task that writes")

    def left(self, step: Step, target: TableName) -> None:
        """Nothing."""


def test_the_other_model_is_cancelled_and_nothing_of_it_stays(numbered: Numbered) -> None:
    """Its job is stopped in the middle: the old table stays, and the next run works."""
    old = numbered.publish(1)
    numbered.project.write({f"models/{BROKEN}.sql": BROKEN_MODEL})
    with observe(BreaksLater(numbered)):
        run = numbered.project.dbt("run", "--fail-fast", v=2, ms=A_WHILE_MS)

    assert not run.success
    assert "nothing_like_it" in run.log
    assert f"CANCEL query model.tested.{TABLE}" in run.log
    assert (numbered.version(), numbered.number()) == (old, 1)
    numbered.only_live_left()

    numbered.project.write({f"models/{BROKEN}.sql": "{{ config(enabled=false) }} select 1"})
    numbered.publish(3, **NOTHING_KEPT)
    assert numbered.number() == 3
    numbered.only_live_left()
