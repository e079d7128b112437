"""SIGTERM and Ctrl-C, in the middle of the job and in the middle of the commit call."""

import signal

import pytest

from faults.commit_calls import SWAP, Held
from faults.numbered import A_WHILE_MS, ROWS, TABLE, Numbered
from faults.other_process import OtherRun, other_dbt
from long import long
from servers.proxy import Proxy

REPORTED_AS_CANCELED = f"CANCEL query model.tested.{TABLE}"
WAITS = "its commit is under way; the cancel waits for it to end"


def logged(run: OtherRun, line: str) -> bool:
    """True once dbt has said so on its console."""
    return line in run.log.read_text()


@pytest.mark.long
def test_sigterm_leaves_the_old_table_and_nothing_staged(numbered: Numbered) -> None:
    """A supervisor's signal cancels the job, and then ends the process as it would have."""
    numbered.publish(1)
    before, files = numbered.outside.entry(TABLE), numbered.files()
    with other_dbt(numbered.project, v=2, ms=A_WHILE_MS) as run:
        run.wait_until(numbered.is_writing, "a task that writes")
        run.send(signal.SIGTERM)
        code = run.ended()

    assert code == -signal.SIGTERM
    assert logged(run, REPORTED_AS_CANCELED)
    assert numbered.outside.entry(TABLE) == before
    assert numbered.files() == files
    assert numbered.outside.records() == [f"{TABLE}__{numbered.version()}"]
    assert numbered.number() == 1


@pytest.mark.parametrize("sent", [signal.SIGTERM, long(signal.SIGINT)])
def test_a_cancel_in_the_commit_call_waits_and_reports_what_became_of_it(
    numbered: Numbered, proxy: Proxy, sent: signal.Signals
) -> None:
    """A model whose call was under way is published, and is not reported as cancelled."""
    numbered.publish(1)
    call = Held()
    with (
        proxy.at(SWAP, numbered.outside.schema, TABLE, call.keep_client),
        other_dbt(numbered.project, v=2) as run,
    ):
        run.wait_until(call.arrived.is_set, "the commit call")
        run.send(sent)
        run.wait_until(lambda: logged(run, WAITS), "the cancel")
        call.deliver()
        code = run.ended()

    assert code != 0
    assert numbered.number() == 2
    assert logged(run, f"[{ROWS} rows published in")
    assert not logged(run, REPORTED_AS_CANCELED)
