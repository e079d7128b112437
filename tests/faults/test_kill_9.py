"""kill -9 of a run, at six moments around its commit."""

import pytest

from faults.commit_calls import REFUSED, SWAP, held
from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from faults.other_process import other_run
from servers.proxy import Proxy

STEPS = (
    pytest.param("stage", "entered", 1, id="before-the-job", marks=pytest.mark.long),
    pytest.param("verify", "entered", 1, id="when-all-is-staged", marks=pytest.mark.long),
    pytest.param("commit", "entered", 1, id="before-the-commit", marks=pytest.mark.long),
    pytest.param("commit", "left", 2, id="after-the-commit"),
    pytest.param("settle", "left", 2, id="before-the-clean-up", marks=pytest.mark.long),
)


@pytest.mark.parametrize(("step", "side", "shown"), STEPS)
def test_a_killed_run_leaves_old_or_new(
    numbered: Numbered, step: str, side: str, shown: int
) -> None:
    """Readers get one whole version, the next run works, and a vacuum frees what is left."""
    numbered.publish(1)
    with other_run(numbered.project, "--step", step, "--side", side, v=2) as run:
        run.wait_until_stopped()
        run.kill()

    assert numbered.number() == shown
    assert {row.v for row in numbered.project.rows(f"select v from {{schema}}.{TABLE}")} == {shown}
    dead = set(numbered.outside.versions()) - {numbered.version()} if shown == 1 else set()

    numbered.publish(3, **NOTHING_KEPT)
    assert numbered.number() == 3
    assert dead <= set(numbered.outside.versions())
    numbered.only_live_left_by_a_vacuum()


def test_the_commit_call_of_a_killed_run_lands_on_nothing(numbered: Numbered, proxy: Proxy) -> None:
    """Its request was still under way: it reaches the server after the next run, and is refused."""
    numbered.publish(1)
    with held(proxy, SWAP, numbered.outside.schema, TABLE) as late:
        with other_run(numbered.project, v=2) as run:
            run.wait_until(late.arrived.is_set, "the commit call")
            run.kill()
        assert numbered.number() == 1
        numbered.publish(3, **NOTHING_KEPT)
        before = numbered.outside.entry(TABLE)
        answer = late.deliver()

    assert REFUSED in answer
    assert numbered.outside.entry(TABLE) == before
    assert numbered.number() == 3
    numbered.only_live_left_by_a_vacuum()
