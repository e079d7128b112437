"""Clean-ups by another run, and runs that die."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep, Sweeper
from dbt.adapters.ctas_spark.staging.files.versions import versions_of
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import EXPIRES_AFTER_MS, LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World

AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0, unknown_after_ms=0)
ROOT = VersionRoot.of(TARGET_NAME, "file:/warehouse/shop.db", None)
NO_SUCH_PID = 2**30


def catalog(world: World) -> SessionCatalog:
    """The catalog of another run, which sweeps."""
    another = World(single_process=world.single_process)
    another.metastore, another.storage = world.metastore, world.storage
    another.lease = Lease(world.storage)
    return another.catalog()


def sweep(world: World, rules: RetentionRules = AT_ONCE, *, dry_run: bool = False) -> Sweep:
    """What another run deletes of the target."""
    run = catalog(world)
    services = run.services(STAGING_SCHEMA)
    beat = services.lease.beat
    sweeper = Sweeper(services, STAGING_SCHEMA, rules, lambda: beat(ROOT.leases), dry_run=dry_run)
    try:
        return sweeper.sweep(TARGET_NAME, versions_of(services, TARGET_NAME, STAGING_SCHEMA, ROOT))
    finally:
        services.lease.close()


def dies(world: World, *, known: bool = True) -> None:
    """The run ends without a word; ``known`` says that its process is seen to be gone."""
    world.lease.close()
    process = ProcessIdentity.current()
    left = replace(process, pid=NO_SUCH_PID, host=process.host if known else "elsewhere")
    text = LeaseFile(world.lease.id, left).to_text()
    world.storage.write(f"{ROOT.leases}/{world.lease.id}", text)
    if not known:
        world.storage.now_ms += EXPIRES_AFTER_MS
    world.lease = Lease(world.storage)
