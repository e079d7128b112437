"""What a begin does, and what it leaves when it can't go on."""

import logging
from dataclasses import replace
from typing import Any

import pytest

from ctas_spark.context import Atomicity
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    MetastoreError,
    StorageError,
)
from ctas_spark.publish.rollback import NoJob
from ctas_spark.publish.version import Outcome, Reach
from fakes.engine import FakeJob
from fakes.version import ABSENT, PLAIN, THERE, FakeBase, FakeVersion, plan


def test_what_a_crash_left_is_mended_before_the_base_is_taken() -> None:
    """The base is the target as it is after that."""

    class Mending(FakeVersion):
        def finish_interrupted(self, found: FakeBase) -> FakeBase:
            assert found is PLAIN
            return THERE

    table = plan(Mending([PLAIN])).begin()
    assert table.base is THERE
    assert table.base.version == "v0"


def test_a_begin_prepares_the_staging_on_its_base_and_level() -> None:
    """Nothing else is asked of the kind, but that the session reads the base."""
    version = FakeVersion([THERE])
    table = plan(version).begin()
    assert version.did == ["finish_interrupted", "stage on v0 isolated", "read afresh"]
    assert (table.version, table.outcome, table.level) == ("v1", None, Atomicity.ISOLATED)


@pytest.mark.parametrize(
    ("found", "said", "read"),
    [
        (ABSENT, {}, []),
        (ABSENT, {"adds": True}, []),
        (THERE, {"only_by_query": True}, []),
        (THERE, {"adds": True, "only_by_query": True}, ["hold old rows"]),
        (THERE, {"adds": True}, ["hold old rows"]),
    ],
)
def test_a_session_reads_the_base_afresh_where_anything_may_read_it_before_the_query(
    found: FakeBase, said: dict[str, Any], read: list[str]
) -> None:
    """Whatever holds the base's rows has that done; of a query it is known once there is one."""
    version = FakeVersion([found])
    replace(plan(version), **said).begin()
    assert version.did[2:] == read


def test_a_target_that_can_not_be_read_fails_the_begin() -> None:
    """Could not find out is an error and never "absent"."""
    version = FakeVersion([ABSENT], fails={"look": MetastoreError("no answer")})
    with pytest.raises(MetastoreError, match="no answer"):
        plan(version).begin()
    assert version.did == []


def test_a_preparation_that_fails_is_aborted() -> None:
    """What it may have left is removed, and its error goes through; there is no job to stop.

    A job that is stopped takes no statements any more, and another way to publish may need it.
    """
    version, job = FakeVersion([THERE], fails={"stage on": StorageError("disk full")}), FakeJob()
    with pytest.raises(StorageError, match="disk full"):
        plan(version, job=job).begin()
    assert version.did[-1] == "discard"
    assert job.stopped == 0


def test_a_level_that_can_not_be_kept_is_refused_before_anything_is_prepared() -> None:
    """The message has the reason and the way out."""
    version = FakeVersion(
        [THERE],
        reached=lambda _over: Reach(Atomicity.ATOMIC, "swap", "mixed", "its reads mix", "say so"),
    )
    with pytest.raises(AtomicityNotSupportedError, match="its reads mix") as refused:
        plan(version, atomicity=Atomicity.ISOLATED).begin()
    assert refused.value.remedy == "say so"
    assert "no job was started" in refused.value.left
    assert version.did == ["finish_interrupted"]


def test_a_reachs_warning_is_said_once_the_publication_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A kept table is not warned about."""
    caplog.set_level(logging.WARNING)

    def reached(_over: FakeBase) -> Reach:
        return Reach(Atomicity.ISOLATED, "swap", warning="its keys change")

    plan(FakeVersion([THERE], reached=reached), "create_if_not_exists").begin()
    assert caplog.text == ""
    plan(FakeVersion([THERE], reached=reached)).begin()
    assert "db.t: its keys change" in caplog.text


def test_a_table_that_is_kept_needs_no_level() -> None:
    """create_if_not_exists succeeds on a table that no call could replace."""

    def nothing_works(_over: FakeBase) -> Reach:
        raise AtomicityNotSupportedError("nothing to compare")

    version = FakeVersion([THERE], reached=nothing_works)
    table = plan(version, "create_if_not_exists", atomicity=Atomicity.ISOLATED).begin()
    assert table.outcome is Outcome.KEPT
    assert version.did == ["finish_interrupted"]


def test_the_job_of_a_rollback_has_nothing_to_stop_or_count() -> None:
    """It runs none."""
    job = NoJob()
    assert (job.stop(), job.canceled, job.figures().files) == (True, False, None)
