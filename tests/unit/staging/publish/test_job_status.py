"""The life of a model's job, bound to the life of its staged table."""

import pytest

from dbt.adapters.ctas_spark.staging.errors import TableAlreadyExistsError
from dbt.adapters.ctas_spark.staging.publish.plan import JobStatusHook
from dbt.adapters.ctas_spark.staging.publish.version import Outcome
from fakes.version import THERE, FakeVersion, plan


def test_a_finished_job_is_committed() -> None:
    """created is begin, finished is commit."""
    hook = JobStatusHook(plan(FakeVersion([THERE])))
    staged = hook.on_created()
    staged.statement("q")
    staged.verify()
    hook.on_finished()
    assert staged.outcome is Outcome.COMMITTED


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_failed_or_cancelled_job_is_aborted(*, cancelled: bool) -> None:
    """What was staged is removed."""
    version = FakeVersion([THERE])
    hook = JobStatusHook(plan(version))
    staged = hook.on_created()
    if cancelled:
        hook.on_canceled()
    else:
        hook.on_failed(ValueError("bad rows"))
    assert (staged.outcome, version.did[-1]) == (Outcome.NOT_COMMITTED, "discard")


def test_a_begin_that_failed_leaves_nothing_to_abort() -> None:
    """Neither the end nor the failure of its job does anything."""
    version = FakeVersion([THERE])
    hook = JobStatusHook(plan(version, "create"))
    with pytest.raises(TableAlreadyExistsError):
        hook.on_created()
    hook.on_failed(ValueError("no"))
    hook.on_finished()
    assert version.did == ["mend"]
