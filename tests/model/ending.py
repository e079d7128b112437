"""After the last run: nothing is left but what tables show."""

from functools import partial

from dbt.adapters.ctas_spark.staging.files.records import ATTEMPT_BY, lease_of, version_of

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.files.versions import VERSION_ID
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import STAGING_SCHEMA
from model.attempts import TARGETS
from model.checks import holds
from model.world import ModelWorld

AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0)
PASSES = 3
MORE_THAN_A_DAY = 90_000


def all_end(world: ModelWorld) -> None:
    """Every run ends, every late request lands, and a day goes by."""
    for run in world.runs:
        if run.is_held:
            run.dies()
        elif run.is_idle:
            run.works(None, run.ends)
        holds(world)
    while world.late:
        world.lands(world.late[0])
        holds(world)


def cleaned(world: ModelWorld) -> None:
    """The next runs begin, change nothing and clean up."""
    for _ in range(PASSES):
        world.passes(MORE_THAN_A_DAY)
        run = world.new_run(at_home=True)
        for target in TARGETS:
            context = StagingContext(target, STAGING_SCHEMA)
            run.works(None, partial(run.looks, context))
            run.works(None, partial(run.cleans, context, AT_ONCE))
            holds(world)
        run.works(None, run.ends)


def is_clean(world: ModelWorld) -> None:
    """Storage and staging schema hold the versions that entries show; leases, their runs."""
    shown = {str(e.location).rpartition("/")[2] for e in world.visible()}
    wanted = {one for one in shown if VERSION_ID.fullmatch(one)}
    paths = [path.split("/") for path in world.storage.files if "/leases/" not in path]
    stored = {part for path in paths for part in path if VERSION_ID.fullmatch(part)}
    assert stored == wanted, f"stored {stored}, shown {wanted}"
    records = {version_of(n) for n in world.metastore.tables if n.database == STAGING_SCHEMA}
    assert records == wanted, f"records of {records}, shown {wanted}"
    leases = {p.rpartition("/")[2] for p in world.storage.files if "/leases/" in p}
    kept = [e for n, e in world.metastore.tables.items() if n.database == STAGING_SCHEMA]
    lived = {
        lease
        for e in kept
        for lease in (lease_of(version_of(e.name)), e.parameters.get(ATTEMPT_BY))
    }
    assert leases <= lived, f"leases of runs of which nothing is left: {leases - lived}"
