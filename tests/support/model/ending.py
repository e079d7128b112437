"""After the last run: nothing is left but what tables show."""

from functools import partial

from ctas_spark.context import StagingContext
from ctas_spark.files.base import look
from ctas_spark.files.record import Record
from ctas_spark.metastore.client import TableEntry
from ctas_spark.publish.marker import COMMIT, VERSION_ID
from ctas_spark.retention.rules import RetentionRules
from model.attempts import STAGING_SCHEMAS, TARGETS, Plan
from model.checks import holds
from model.world import ModelWorld

AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0)
VACUUM = RetentionRules(versions_to_keep=0, grace_ms=0, orphan_age_ms=0, fences=True, thorough=True)
PASSES = 3
LONGER_THAN_THE_ORPHAN_AGE = 700_000
"""Seconds; longer by more than any clock was ahead."""


def all_end(world: ModelWorld) -> None:
    """Every run ends, every late request lands, and every clock is right again."""
    for run in world.runs:
        if run.is_held:
            run.dies()
        elif run.is_idle:
            run.works(None, run.ends)
        holds(world)
    while world.late:
        world.lands(world.late[0])
        holds(world)
    world.storage.skew_ms = 0


def cleaned(world: ModelWorld, rules: RetentionRules) -> None:
    """The next runs begin, change nothing and clean up."""
    for _ in range(PASSES):
        world.passes(LONGER_THAN_THE_ORPHAN_AGE)
        run = world.new_run()
        for target in TARGETS:
            for staging_schema in STAGING_SCHEMAS:
                context = StagingContext(target, staging_schema)
                run.works(None, partial(run.looks, context))
                run.works(None, partial(run.cleans, context, rules))
                holds(world)
        run.works(None, run.ends)


def built(world: ModelWorld) -> None:
    """Every target is built once more: what is gone or another's is only a vacuum's to clean up."""
    run = world.new_run()
    for target in TARGETS:
        run.works(None, partial(run.builds, Plan(target)))
        holds(world)
    run.works(None, run.ends)


def is_mended(world: ModelWorld) -> None:
    """What was left half done of a publication was finished by the next begin."""
    for entry in world.visible():
        is_ours = entry.name in TARGETS and look(world.metastore, entry.name).marker
        assert entry.columns or not is_ours, f"{entry.name} has no columns"


def is_clean(world: ModelWorld) -> None:
    """Left is what entries show, and what their target may still become by a late request."""
    wanted = _shown(world) | {one.version for one in _records(world) if _may_land(world, one)}
    _is_left(world, wanted)


def is_empty(world: ModelWorld) -> None:
    """Left is what entries show or still let land, or what a user's copy of a record names."""
    copied = {one.version for one in _records(world, copied=True)}
    elsewhere = {one.version for one in _records(world) if _lands_elsewhere(world, one)}
    _is_left(world, _shown(world) | copied | elsewhere)


def _is_left(world: ModelWorld, wanted: set[str]) -> None:
    paths = [path.split("/") for path in world.storage.texts]
    stored = {part for path in paths for part in path if VERSION_ID.fullmatch(part)}
    assert stored <= wanted, f"stored {stored}, shown or landing {wanted}"
    records = {one.version for one in _records(world)}
    assert records <= wanted, f"records of {records}, shown or landing {wanted}"
    assert _shown(world) - stored <= world.watch.swept_creations


def _shown(world: ModelWorld) -> set[str]:
    shown = {str(entry.directory_name) for entry in world.visible()}
    return {one for one in shown if VERSION_ID.fullmatch(one)}


def _records(world: ModelWorld, *, copied: bool = False) -> list[Record]:
    """The runs' own, or those that a user copied from another staging schema."""
    found = [record for record in map(Record.of, _entries(world)) if record is not None]
    return [one for one in found if _belongs(world, one) is not copied]


def _belongs(world: ModelWorld, record: Record) -> bool:
    made = world.made(record.version)
    entry = record.entry
    return made is None or (entry is not None and made.record == entry.name)


def _entries(world: ModelWorld) -> list[TableEntry]:
    return [e for n, e in world.metastore.tables.items() if n.database in STAGING_SCHEMAS]


def _may_land(world: ModelWorld, record: Record) -> bool:
    made = world.made(record.version)
    assert made is not None, f"{record} belongs to no run"
    is_base = str(look(world.metastore, made.staged.target)) == record.base
    return is_base or _lands_elsewhere(world, record)


def _lands_elsewhere(world: ModelWorld, record: Record) -> bool:
    """A table that was renamed away, or cloned, comes back with the commit that a call expects."""
    commits = {entry.parameters.get(COMMIT) for entry in world.visible()}
    return bool(record.bases) and record.bases[-1].commit in commits - {None}
