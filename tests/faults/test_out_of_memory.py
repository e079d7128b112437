"""Spark's driver runs out of memory while it runs a model's job."""

import pytest

from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from faults.other_process import other_dbt

TOO_MUCH = "size(sequence(0L, 400000000L + id)) < 0"


@pytest.mark.long
def test_the_old_version_stays(numbered: Numbered) -> None:
    """Spark ends its JVM: the model failed, its user is told why, and the next run cleans up."""
    old = numbered.publish(1)
    before = numbered.outside.entry(TABLE)
    with other_dbt(numbered.project, v=2, where=TOO_MUCH) as run:
        code = run.ended()

    log = run.log.read_text()
    assert code != 0
    assert "outcome: nothing was published" in log
    assert f"still holds version {old}" in log
    assert "[SPARK_ENDED] Spark's JVM has ended: it was killed or ran out of memory" in log
    assert "Traceback" not in log
    assert numbered.outside.entry(TABLE) == before
    assert numbered.number() == 1

    numbered.publish(3, **NOTHING_KEPT)
    numbered.only_live_left_by_a_vacuum()
