"""The metastore is gone: before a run, between its job and its commit, during its clean-up."""

from ctas_spark.steps import Step
from faults.moments import after, before
from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from servers.proxy import Proxy


def test_down_before_the_run_builds_nothing(numbered: Numbered, proxy: Proxy) -> None:
    """The run fails before any model; the next one works in the same session."""
    old = numbered.publish(1)
    proxy.down()
    try:
        run = numbered.run(2)
    finally:
        proxy.up()
    assert not run.success
    assert numbered.outside.versions() == [old]
    numbered.publish(3, **NOTHING_KEPT)
    numbered.only_live_left()


def test_down_before_the_job_is_told_with_the_table_and_its_state(
    numbered: Numbered, proxy: Proxy
) -> None:
    """No call of a metastore knows for which table it is; the model's error does."""
    old = numbered.publish(1)
    with before(Step.BEGIN, proxy.down):
        try:
            run = numbered.run(2)
        finally:
            proxy.up()
    message = run.message(TABLE)
    assert "[METASTORE_CALL_FAILED] metastore call " in message
    assert (
        f"table: {numbered.project.schema}.{TABLE}\n"
        "    left: it is unchanged; no job was started\n"
        "    to do: remove the cause, then run the model again"
    ) in message
    assert (numbered.version(), numbered.number()) == (old, 1)


def test_down_before_the_commit_leaves_the_old_version(numbered: Numbered, proxy: Proxy) -> None:
    """Nothing was asked of the target; files that a rollback might have taken meanwhile stay."""
    old = numbered.publish(1)
    with before(Step.COMMIT, proxy.down):
        try:
            run = numbered.run(2)
        finally:
            proxy.up()
    assert not run.success
    message = run.message(TABLE)
    assert "outcome: nothing was published" in message
    assert f"still holds version {old}" in message
    assert "a later run deletes what is left of version" in message
    assert "Connection refused" in message
    assert "HiveMetaStoreClient.java" not in message
    assert (numbered.version(), numbered.number()) == (old, 1)
    _, staged = numbered.outside.versions()
    assert f"{staged}: whether a rollback has taken this version is not known" in run.log

    numbered.publish(3, **NOTHING_KEPT)
    numbered.only_live_left_by_a_vacuum()


def test_down_during_the_clean_up_is_a_warning(numbered: Numbered, proxy: Proxy) -> None:
    """The model is published; what could not be cleaned is said, and goes with the next run."""
    numbered.publish(1)
    with after(Step.SETTLE, proxy.down):
        try:
            run = numbered.run(2, **NOTHING_KEPT)
        finally:
            proxy.up()
    assert run.response(TABLE)["outcome"] == "committed"
    assert "old versions were not deleted this time: metastore call" in run.log
    assert "HiveMetaStoreClient.java" not in run.log
    assert numbered.number() == 2
    assert len(numbered.outside.versions()) == 2

    numbered.publish(3, **NOTHING_KEPT)
    numbered.only_live_left()
