"""A commit call that was under way for so long that the next run came first."""

from faults.commit_calls import CREATE, EXISTS, REFUSED, SWAP, held
from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from servers.proxy import Proxy


def test_a_replace_that_arrives_after_the_next_run_is_refused(
    numbered: Numbered, proxy: Proxy
) -> None:
    """The next run left the base that the late request expects: it changes nothing any more."""
    old = numbered.publish(1)
    with held(proxy, SWAP, numbered.outside.schema, TABLE) as late:
        run = numbered.run(2)
        numbered.says_unknown(run, numbered.staged_beside(old))
        numbered.publish(3, **NOTHING_KEPT)
        before = numbered.outside.entry(TABLE)
        answer = late.deliver()

    assert REFUSED in answer
    assert numbered.outside.entry(TABLE) == before
    assert numbered.number() == 3
    numbered.only_live_left_by_a_vacuum()


def test_a_creation_that_arrives_after_the_next_run_is_refused(
    numbered: Numbered, proxy: Proxy
) -> None:
    """The next run created the table: the late creation finds its name taken."""
    with held(proxy, CREATE, TABLE, numbered.outside.schema) as late:
        run = numbered.run(1)
        numbered.says_unknown(run, numbered.staged_beside(None))
        assert numbered.outside.tables() == []
        numbered.publish(2, **NOTHING_KEPT)
        before = numbered.outside.entry(TABLE)
        answer = late.deliver()

    assert EXISTS in answer
    assert numbered.outside.entry(TABLE) == before
    assert numbered.number() == 2
    numbered.only_live_left_by_a_vacuum()
