"""What the records of another run tell of it."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.files.records import LEASE
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.retention.run_records import is_over
from fakes.world import World

OTHER = "20240101t000000x0000000a"
HERE = ProcessIdentity.current()


@pytest.fixture
def world() -> World:
    """A world in which a version's record leads to another run."""
    return World()


def of_another_run(world: World) -> StagedFileTable:
    """A staged version whose record names the other run's lease."""
    staged = world.begun()
    record = world.metastore.tables[staged.record]
    parameters = {**record.parameters, LEASE: OTHER}
    world.metastore.tables[staged.record] = replace(record, parameters=parameters)
    return staged


@pytest.mark.parametrize(("process", "over"), [(HERE, False), (replace(HERE, pid=2**30), True)])
def test_a_run_is_over_when_its_process_has_ended(
    world: World, process: ProcessIdentity, *, over: bool
) -> None:
    """Its lease lies where its record says, and names the process."""
    staged = of_another_run(world)
    lease = LeaseFile(OTHER, process).to_text()
    world.storage.write(f"{staged.root.leases}/{OTHER}", lease)
    assert is_over(world.metastore, world.storage, world.lease, OTHER) is over


def test_a_run_that_gave_its_lease_back_is_over(world: World) -> None:
    """It resolved all that it began."""
    of_another_run(world)
    assert is_over(world.metastore, world.storage, world.lease, OTHER)


def test_nothing_is_known_of_a_run_without_records(world: World) -> None:
    """Its lease may lie on a storage that is not known here."""
    assert not is_over(world.metastore, world.storage, world.lease, OTHER)
