"""What has to be true between any two things that happen."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import OnConflict, TableName
from dbt.adapters.ctas_spark.staging.files import set_aside
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import MOST_ENTRIES, Kind, Lineage, Marker
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from fakes.world import STAGING_SCHEMA
from model.attempts import Attempt
from model.spark import partitions
from model.watch import is_tracked, shown_directories
from model.world import ModelWorld


def holds(world: ModelWorld) -> None:
    """Raise AssertionError where a promise of the protocol is broken."""
    assert not world.watch.violations, world.watch.violations
    for entry in world.visible():
        _shows_whole_files(world, entry)
    for target, shown in world.shown().items():
        marker = Marker.of(shown)
        if shown is not None and marker is not None:
            _shows_one_version(world, shown, marker)
            _has_a_lineage(world, target, marker.lineage)
    for attempt in world.attempts:
        _was_told_the_truth(world, attempt)


def _shows_whole_files(world: ModelWorld, entry: TableEntry) -> None:
    for directory in shown_directories(world, entry):
        missing = world.written.get(directory, set()) - set(world.storage.files)
        assert not missing, f"{entry.name} shows {missing}, which is gone"


def _shows_one_version(world: ModelWorld, entry: TableEntry, marker: Marker) -> None:
    made = _made(world, marker.version)
    directory = str(entry.location)
    assert directory == made.staged.root.version(marker.version), f"{entry} lies elsewhere"
    columns = world.columns.get(directory, made.columns)
    assert entry.columns == columns, f"{entry.name} has {entry.columns}, not {columns}"
    assert entry.partition_keys == made.staged.context.layout.partition_by
    if is_tracked(entry):
        kept = world.metastore.kept.get(entry.name, {})
        months = {p.split("month=")[1].split("/")[0] for p in world.written[directory]}
        wanted = {one.values: one for one in partitions(directory, tuple(months))}
        assert kept == wanted, f"{entry.name} keeps {kept}, and the version has {wanted}"


def _has_a_lineage(world: ModelWorld, target: TableName, lineage: Lineage) -> None:
    commits = [entry.commit for entry in lineage.entries]
    assert len(commits) == len(set(commits)), f"{target} has a commit twice: {lineage}"
    publications = [entry for entry in lineage.entries if not entry.kind.keeps_the_version]
    before_them = [entry.version for entry in publications[1:]]
    for publication, before in zip(publications, [*before_them, None], strict=True):
        version = publication.version
        made = _made(world, version)
        assert made.staged.target == target, f"{target} shows a version of {made.staged.target}"
        if publication.kind is Kind.ROLLBACK:
            continue
        aborts = made.staged.context.on_conflict is OnConflict.ABORT
        if aborts and before is not None:
            seen = Marker.of(made.seen)
            what = seen.version if seen else made.seen
            assert what == before, f"{version} began on {what} and was committed over {before}"


def _was_told_the_truth(world: ModelWorld, attempt: Attempt) -> None:
    staged = attempt.staged
    shown = world.metastore.tables.get(staged.target)
    marker = Marker.of(shown or _set_aside(world, staged.target))
    lineage = marker.lineage if marker else Lineage()
    if attempt.outcome is Outcome.NOT_COMMITTED:
        assert not lineage.has_version(staged.version), f"{staged.version} shows up"
    if attempt.outcome is Outcome.COMMITTED and not attempt.is_committing:
        touched = world.touches[staged.target] != attempt.touches
        is_cut = len(lineage.entries) >= MOST_ENTRIES - 10
        stands = lineage.has_version(staged.version)
        assert touched or is_cut or stands, f"{staged.version} was committed and is lost"


def _made(world: ModelWorld, version: str) -> Attempt:
    found = [one for one in world.attempts if one.staged.version == version]
    assert found, f"no run made {version}"
    return found[0]


def _set_aside(world: ModelWorld, target: TableName) -> TableEntry | None:
    """What the target is, while a run renames it or died while it did so."""
    found = set_aside.of_target(world.metastore, target, STAGING_SCHEMA)
    return replace(found[0], name=target) if found else None
