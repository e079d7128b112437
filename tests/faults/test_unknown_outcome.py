"""The connection to the metastore breaks while the commit call is under way."""

from collections.abc import Callable

from faults.commit_calls import (
    SWAP,
    after_a_look,
    lose_answer,
    lose_connection,
    lose_request,
)
from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from functional.dbt_project import Run
from servers.proxy import Call, Proxy


def run_with_broken_commit(
    numbered: Numbered, proxy: Proxy, fault: Callable[[Call], None], number: int
) -> Run:
    """A run whose commit call meets the fault."""
    with proxy.at(SWAP, numbered.outside.schema, TABLE, fault):
        return numbered.run(number)


def test_a_lost_request_is_unknown_and_deletes_nothing(numbered: Numbered, proxy: Proxy) -> None:
    """The old version stays, the staged one too, until it is old."""
    old = numbered.publish(1)
    run = run_with_broken_commit(numbered, proxy, lose_request, 2)

    staged = numbered.staged_beside(old)
    numbered.says_unknown(run, staged)
    assert (numbered.version(), numbered.number()) == (old, 1)
    assert f"{TABLE}__{staged}" in numbered.outside.records()

    numbered.publish(3, **NOTHING_KEPT)
    assert numbered.number() == 3
    numbered.only_live_left_by_a_vacuum()


def test_a_lost_answer_is_a_commit(numbered: Numbered, proxy: Proxy) -> None:
    """The call raised, and yet the model is published and says so."""
    numbered.publish(1)
    run = run_with_broken_commit(numbered, proxy, lose_answer, 2)

    assert run.success, run.log
    assert run.response(TABLE)["outcome"] == "committed"
    assert (numbered.version(), numbered.number()) == (run.response(TABLE)["version"], 2)


def test_a_connection_lost_meanwhile_is_a_commit_or_unknown(
    numbered: Numbered, proxy: Proxy
) -> None:
    """A look while the server works may show old or new; what is reported is never wrong."""
    old = numbered.publish(1)
    run = run_with_broken_commit(numbered, proxy, lose_connection, 2)

    new = numbered.staged_beside(old)
    if run.success:
        assert run.response(TABLE)["version"] == new
    else:
        numbered.says_unknown(run, new)
    assert (numbered.version(), numbered.number()) == (new, 2)


def test_a_request_that_arrives_after_the_look_still_commits(
    numbered: Numbered, proxy: Proxy
) -> None:
    """The old marker proves nothing: what the run found unknown is published, whole, later."""
    old = numbered.publish(1)
    late = after_a_look(proxy, numbered.outside.schema, TABLE)
    run = run_with_broken_commit(numbered, proxy, late, 2)

    new = numbered.staged_beside(old)
    numbered.says_unknown(run, new)
    assert (numbered.version(), numbered.number()) == (new, 2)

    numbered.publish(3, **NOTHING_KEPT)
    assert numbered.number() == 3
    numbered.only_live_left_by_a_vacuum()
