"""A task that ignores the kill: a regular expression that never ends asks for no interrupt."""

import signal

import pytest

from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from faults.other_process import other_dbt

# A back reference keeps Java from remembering where it has tried in vain.
NEVER_ENDS = "concat(repeat('a', 80), cast(id as string)) rlike '^(a|aa|aaa)+(b\\\\1)?$'"


@pytest.mark.long
def test_its_files_are_left_after_the_timeout(numbered: Numbered) -> None:
    """The run says that it goes before the task has ended, and what stays until it is old."""
    numbered.publish(1)
    before = numbered.outside.entry(TABLE)
    with other_dbt(numbered.project, v=2, where=NEVER_ENDS, settings={"abort_timeout": 1}) as run:
        run.wait_until(numbered.is_in_a_task, "a task that writes")
        run.send(signal.SIGTERM)
        code = run.ended()

    assert code == -signal.SIGTERM
    log = run.log.read_text()
    assert "a task of the job still runs, so directory" in log
    assert numbered.outside.entry(TABLE) == before
    assert numbered.number() == 1

    numbered.publish(3, **NOTHING_KEPT)
    numbered.only_live_left_by_a_vacuum()
