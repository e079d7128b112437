"""The time that a takeover expects can't come back."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.files.takeover import wait_out

from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World


def written_at(second: int) -> TableEntry:
    """A plain table last written in that second."""
    return entry(TARGET_NAME, parameters={"transient_lastDdlTime": str(second)})


def staged_at(second: int) -> TableEntry:
    """A record that the metastore made in that second."""
    return replace(written_at(second), name=replace(TARGET_NAME, database=STAGING_SCHEMA))


class Clock:
    """A storage's clock that moves on by 400 ms with each look."""

    def __init__(self, second: int) -> None:
        self.now = second * 1000
        self.looks = 0

    def __call__(self) -> int:
        self.looks += 1
        self.now += 400
        return self.now


def test_a_record_made_later_is_proof_enough() -> None:
    """Where the metastore's own clock has passed the expected second, nothing is waited for."""
    clock = Clock(100)
    wait_out(Base(written_at(100)), staged_at(101), clock)
    assert clock.looks == 0


def test_the_expected_second_is_waited_out() -> None:
    """A record made in the same second proves nothing: the storage's clock has to pass it."""
    clock = Clock(100)
    wait_out(Base(written_at(100)), staged_at(100), clock)
    assert clock.now // 1000 > 101


def test_a_base_with_our_marker_expects_no_time() -> None:
    """A commit id never comes back, so nothing is waited for."""
    world = World()
    world.published()
    clock = Clock(0)
    wait_out(Base(world.metastore.tables[TARGET_NAME]), staged_at(0), clock)
    assert clock.looks == 0
