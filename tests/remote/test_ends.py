"""Runs on a server that do not get through: Ctrl-C, kill -9, and what is left."""

import signal

import pytest

from faults.other_process import other_dbt, other_run
from remote.place import MODELS, MOSTLY_CONNECT, ONLY_CONNECT, Place

SLEEP_MS = 60_000


@MOSTLY_CONNECT
def test_ctrl_c_interrupts_the_models_and_leaves_the_old_tables(place: Place) -> None:
    """Nothing staged is left; the statements do not run on to their end."""
    place.project.build()
    with other_dbt(place.project, name="new", ms=SLEEP_MS) as run:
        run.wait_until(lambda: all(map(place.runs, MODELS)), "a task of each model")
        run.send(signal.SIGINT)
        assert run.ended() != 0
        log = run.log.read_text()
    assert "cancel" in log.lower()
    assert (place.names(), place.staged()) == ([("old", 3), ("old", 3)], [])


@pytest.mark.long
@ONLY_CONNECT
def test_what_a_killed_run_staged_goes_by_its_age(place: Place) -> None:
    """kill -9 between stage and commit: the old tables stay, and the next run builds next to it."""
    place.project.build()
    with other_run(place.project, "--step", "commit", name="new") as run:
        run.wait_until_stopped()
        run.kill()
    assert place.names() == [("old", 3), ("old", 3)]
    left = place.staged()
    assert left
    place.project.build(name="newer")
    assert (place.names(), place.staged()) == ([("newer", 3), ("newer", 3)], left)
    vacuum = place.project.dbt("run-operation", "ctas_vacuum", "--args", "{older_than: 0}")
    assert vacuum.success, vacuum.log
    assert (place.names(), place.staged()) == ([("newer", 3), ("newer", 3)], [])
