"""What has to be true between any two things that happen."""

from ctas_spark.context import OnConflict, TableName
from ctas_spark.metastore.client import PLACEHOLDER, TableEntry
from ctas_spark.publish.marker import MOST_ENTRIES, Lineage, Marker, PublicationKind
from ctas_spark.publish.version import Outcome
from model.attempts import Attempt, columns_of
from model.spark import partitions
from model.watch import is_tracked, shown_directories
from model.world import ModelWorld

UNKNOWN_COLUMNS = (PLACEHOLDER[:2],)
"""Hive's, where they were filled without the version's record; Spark does not read them."""


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
    if entry.directory_name in world.watch.swept_creations:
        return
    for directory in shown_directories(world, entry):
        missing = world.written.get(directory, set()) - set(world.storage.texts)
        assert not missing, f"{entry.name} shows {missing}, which is gone"


def _shows_one_version(world: ModelWorld, entry: TableEntry, marker: Marker) -> None:
    """Location, schema and partitions of one; Hive's own columns may be still to come."""
    made = _made(world, marker.version)
    directory = str(entry.location)
    assert directory == made.directory, f"{entry} lies elsewhere"
    columns, read = world.columns.get(directory, made.columns), columns_of(entry.parameters)
    assert read == columns, f"{entry.name} has {read}, not {columns}"
    allowed = ((), columns, UNKNOWN_COLUMNS)
    assert entry.columns in allowed, f"{entry.name} has {entry.columns}, not {columns}"
    assert entry.partition_columns == made.staged.context.layout.partition_by
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
        if publication.kind is PublicationKind.ROLLBACK:
            continue
        aborts = made.staged.context.on_conflict is OnConflict.ABORT
        if aborts and before is not None:
            seen = Marker.of(made.seen)
            what = seen.version if seen else made.seen
            assert what == before, f"{version} began on {what} and was committed over {before}"


def _was_told_the_truth(world: ModelWorld, attempt: Attempt) -> None:
    staged = attempt.staged
    marker = Marker.of(world.metastore.tables.get(staged.target))
    lineage = marker.lineage if marker else Lineage()
    if attempt.outcome is Outcome.NOT_COMMITTED:
        assert not lineage.has_version(staged.version), f"{staged.version} shows up"
    if attempt.outcome is Outcome.COMMITTED and not attempt.is_committing:
        touched = world.touches[staged.target] != attempt.touches
        is_cut = len(lineage.entries) >= MOST_ENTRIES - 10
        stands = lineage.has_version(staged.version)
        assert touched or is_cut or stands, f"{staged.version} was committed and is lost"
        swept = staged.version in world.watch.swept_creations
        assert not swept, f"{staged.version} was committed, and a clean-up had taken it before"


def _made(world: ModelWorld, version: str) -> Attempt:
    found = world.made(version)
    assert found is not None, f"no run made {version}"
    return found
