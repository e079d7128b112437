"""The metastore holds a call back while others read, build and clean up."""

import pytest

from faults.commit_calls import READ, SWAP, Held
from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from faults.other_process import other_dbt
from servers.proxy import Proxy


def test_a_slow_commit_call_is_waited_for(numbered: Numbered, proxy: Proxy) -> None:
    """Readers keep the old version, a vacuum leaves the living run its own, then it publishes."""
    old = numbered.publish(1)
    call = Held()
    with (
        proxy.at(SWAP, numbered.outside.schema, TABLE, call.keep_client),
        other_dbt(numbered.project, v=2) as run,
    ):
        run.wait_until(call.arrived.is_set, "the commit call")
        staged = numbered.staged_beside(old)
        assert (numbered.version(), numbered.number()) == (old, 1)
        vacuum = numbered.project.dbt(
            "run-operation", "ctas_vacuum", "--args", '{"older_than": 0}', settings=NOTHING_KEPT
        )
        assert vacuum.success, vacuum.log
        assert staged in numbered.outside.versions()
        call.deliver()
        assert run.ended() == 0

    assert (numbered.version(), numbered.number()) == (staged, 2)
    numbered.publish(3, **NOTHING_KEPT)
    numbered.only_live_left()


@pytest.mark.long
def test_a_slow_look_before_the_commit_finds_who_came_meanwhile(
    numbered: Numbered, proxy: Proxy
) -> None:
    """A run that waited for the metastore since its job is told of the rival, and loses nothing."""
    numbered.publish(1)
    call = Held()
    with (
        proxy.at(READ, numbered.outside.schema, TABLE, call.keep_client),
        other_dbt(numbered.project, v=2) as run,
    ):
        run.wait_until(call.arrived.is_set, "its first look at the table")
        rival = numbered.publish(3)
        call.deliver()
        code = run.ended()

    assert code == 0, run.log.read_text()
    assert rival in numbered.outside.parameters(TABLE)["ctas_spark_lineage"]
    assert numbered.number() == 2
