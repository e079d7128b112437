"""What became of a world's versions, as their records tell it."""

from dbt.adapters.ctas_spark.staging.files.record import Record
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import CONTEXT, TARGET_NAME, Staged, World, version_of


def record_of(world: World, staged: Staged) -> Record:
    """The version's record as it is now."""
    found = Record.of(world.metastore.tables[version_of(staged).record])
    assert found is not None
    return found


def remembered(world: World) -> Staged:
    """A version of which the end of its invocation has noted that it was published."""
    staged = world.published()
    counted = {staged.version: world.job.counted}
    world.catalog().clean_up(CONTEXT, RetentionRules(), counted=counted)
    return staged


def drops_the_target(world: World) -> None:
    """A user's DROP TABLE: an external table's files stay."""
    del world.metastore.tables[TARGET_NAME]
