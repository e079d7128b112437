"""What each single effect may do, looked at when it happens.

Violations are kept, for the product may swallow what is raised inside a call.
"""

import json
from typing import TYPE_CHECKING

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import TableName
from ctas_spark.files.base import (
    LAST_DDL_TIME,
    PARTITION_HOLDER,
    PARTITION_PROVIDER,
    PARTITIONS,
    SCHEMA,
)
from ctas_spark.files.record import RECORD
from ctas_spark.files.staging_entry import FORMER, STAGING_ID
from ctas_spark.metastore.client import EntryChange, TableEntry
from ctas_spark.publish.marker import Marker, PublicationKind
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules

if TYPE_CHECKING:
    from model.attempts import Attempt, Doing
    from model.runs import Run
    from model.world import ModelWorld

BOOKKEEPING = {PARTITIONS, PARTITION_HOLDER, PARTITION_PROVIDER}
UPKEEP = ("begin", "settle", "clean", "recover", "rollback")
"""What fills Hive's columns and keeps partitions, besides the commit itself."""


class Watch:
    """``until`` says when the target last showed a version, by a clock that is never set.

    ``swept_creations`` are the versions whose record a clean-up took before its time, while their
    writer was creating the target: that entry is taken back, if the writer lives.
    """

    def __init__(self, world: "ModelWorld") -> None:
        self.violations: list[str] = []
        self.until: dict[str, int] = {}
        self.taken: set[str] = set()
        self.swept_creations: set[str] = set()
        self._world = world

    def says(self, what: str) -> None:
        """The product broke a promise."""
        self.violations.append(what)

    def deletes(self, run: "Run", doing: "Doing", path: str) -> None:
        """A run is about to delete a directory."""
        if not any(file.startswith(f"{path}/") for file in self._world.storage.texts):
            return
        for entry in self._world.visible():
            if path in shown_directories(self._world, entry):
                self._deletes_shown(f"{run} ({doing.word}) deletes {path}", entry)
        attempt, version = doing.attempt, path.rpartition("/")[2]
        if doing.rules is None:
            if attempt is None or version != attempt.staged.version:
                self.says(f"{run} ({doing.word}) deletes {path}, which is not its own")
            elif attempt.outcome is Outcome.UNKNOWN:
                self.says(f"{run} deletes {path}, whose fate it does not know")
        elif version not in self.taken:
            self._deletes_taken_over(run, doing.rules, path)

    def takes(self, run: "Run", doing: "Doing", name: str, args: tuple[object, ...]) -> None:
        """A clean-up has moved a record to ``deleting``: from here on its version may go."""
        change = args[0] if name in ("alter_table", "create_table") else None
        if not isinstance(change, EntryChange) or doing.rules is None:
            return
        record = json.loads(change.parameters.get(RECORD, "{}"))
        version, is_taken = record.get("version", ""), "deleting_ms" in record
        if is_taken and version not in self.taken:
            self.taken.add(version)
            self._may_be_taken(run, doing, version)
            self._keeps_the_rules(run, doing, version)
        elif not is_taken:
            self.taken.discard(version)  # given back: the target shows it after all

    def changed(
        self, run: "Run", doing: "Doing", before: dict[TableName, TableEntry | None]
    ) -> None:
        """A call of a run has had its effect."""
        for target, was in before.items():
            now = self._world.metastore.tables.get(target)
            if now == was:
                continue
            self.left(was, now)
            self._may_be_swept(was, now)
            self._fits_the_step(run, doing, was, now)
            self._follows(run, was, now)

    def left(self, was: TableEntry | None, now: TableEntry | None) -> None:
        """Note when a version was last the table, and when a user's managed table was."""
        before, after = Marker.of(was), Marker.of(now)
        if was is not None and before is None and was.is_managed:
            self.until[str(was.location)] = self._world.true_ms
        if before is not None and (after is None or after.version != before.version):
            self.until[before.version] = self._world.true_ms

    def forgets(self, was: TableEntry) -> None:
        """A foreign writer undid a commit: what it took away has no grace."""
        marker = Marker.of(was)
        if marker is not None:
            self.until.pop(marker.version, None)

    def _deletes_shown(self, what: str, entry: TableEntry) -> None:
        if str(entry.directory_name) not in self.swept_creations:
            self.says(f"{what}, which {entry.name} shows")

    def _may_be_swept(self, was: TableEntry | None, now: TableEntry | None) -> None:
        """A creation can't be refused: its writer looks at its record right after it."""
        version = now.directory_name if now is not None else None
        if was is None and version in self.taken:
            self.swept_creations.add(version)

    def _deletes_taken_over(self, run: "Run", rules: RetentionRules, path: str) -> None:
        """A managed table's files, which a version replaced: no other record is taken."""
        until = self.until.get(path)
        if until is None or not rules.thorough:
            self.says(f"{run} deletes {path}, whose record nobody took")
        elif self._world.true_ms - until < rules.grace_ms and not self._world.is_jumped:
            self.says(f"{run} deletes {path} within the grace")
        self._world.written.pop(path, None)  # another table may come to lie there

    def _may_be_taken(self, run: "Run", doing: "Doing", version: str) -> None:
        """A clean-up that nothing came between takes no record of a table."""
        shown = {marker.version for marker in map(Marker.of, self._world.visible()) if marker}
        if version in shown and not doing.was_held:
            self.says(f"{run} takes the record of {version}, which is the table")
        made = self._world.made(version)
        if made is None:
            self.says(f"{run} takes {version}, which no run made")
        elif not _is_ours(self._world, doing, made.staged.context.staging_schema):
            self.says(f"{run} takes {version}, which belongs to another staging schema")

    def _keeps_the_rules(self, run: "Run", doing: "Doing", version: str) -> None:
        rules, made, now = doing.rules, self._world.made(version), self._world.true_ms
        assert rules is not None
        if made is None or self._world.is_jumped:
            return
        until = self.until.get(version)
        if until is not None and now - until < rules.grace_ms:
            self.says(f"{run} deletes {version}, which was the table {now - until} ms ago")
        if until is None and now - made.began_ms < min(rules.orphan_age_ms, ORPHAN_AGE_MS):
            self.says(f"{run} deletes {version}, which began {now - made.began_ms} ms ago")
        if doing.was_held:
            return
        for target, entry in self._world.shown().items():
            newer = newer_ones(self._world, doing, entry, version)
            if newer is not None and len(newer - self.taken) < rules.versions_to_keep:
                self.says(f"{run} deletes {version} of {target}, which is to be kept")

    def _fits_the_step(
        self, run: "Run", doing: "Doing", was: TableEntry | None, now: TableEntry | None
    ) -> None:
        """Only the commit and a rollback publish; a clean-up fences; the rest is upkeep."""
        if doing.word == "commit" and self._is_of_the_commit(doing, was, now):
            return
        if doing.word == "rollback" and now is not None and _is_rolled_back(now):
            return
        if was is not None and now is not None:
            if doing.word in UPKEEP and _is_upkeep(was, now, was_held=doing.was_held):
                return
            if doing.word == "clean" and _is_fence(was, now):
                return
        self.says(f"{run} ({doing.word}) changes the target from {was} to {now}")

    def _is_of_the_commit(
        self, doing: "Doing", was: TableEntry | None, now: TableEntry | None
    ) -> bool:
        attempt = doing.attempt
        if now is None:
            return _is_of(attempt, was)  # it takes back what it created
        if not _is_of(attempt, now):
            return False
        self._sees_inserts(doing, was)
        return True

    def _sees_inserts(self, doing: "Doing", was: TableEntry | None) -> None:
        """What a user inserted since a job has read the target is not replaced by its version."""
        attempt = doing.attempt
        if was is None or attempt is None or attempt.inserts is None or doing.was_held:
            return
        staged = attempt.staged
        inserts = self._world.inserts[staged.target] - attempt.inserts
        if inserts:
            self.says(f"{staged.version} replaces {inserts} INSERTs that its job has not read")

    def _follows(self, run: "Run", was: TableEntry | None, now: TableEntry | None) -> None:
        """One more entry at the head of the lineage, the rest as it was; or nothing at all."""
        before, after = Marker.of(was), Marker.of(now)
        if before is None or after is None or before == after:
            return
        head, *rest = after.lineage.entries
        known = [one.commit for one in before.lineage.entries]
        continues = [one.commit for one in rest] == known[: len(rest)] and after.life == before.life
        if (head.commit, after.base) != (after.commit, before.commit) or not continues:
            self.says(f"{run} broke the lineage: {before.lineage} became {after.lineage}")
        elif head.time_ms <= before.lineage.entries[0].time_ms:
            self.says(f"{run} made {head.commit}, which does not come after {before.commit}")


def shown_directories(world: "ModelWorld", entry: TableEntry) -> set[str]:
    """Where a reader of the entry finds files."""
    kept = world.metastore.kept.get(entry.name, {}).values()
    tracked = {p.location.rpartition("/")[0] for p in kept} if is_tracked(entry) else set()
    return {str(entry.location)} | tracked


def is_tracked(entry: TableEntry) -> bool:
    """True if Spark takes the partitions from the metastore."""
    return PARTITION_PROVIDER in entry.parameters


def newer_ones(
    world: "ModelWorld", doing: "Doing", entry: TableEntry | None, version: str
) -> set[str] | None:
    """The superseded versions that are newer and still there; None if the target knows it not."""
    marker = Marker.of(entry)
    if marker is None or not marker.lineage.has_version(version):
        return None
    order = list(dict.fromkeys(e.version for e in marker.lineage.entries))
    newer = set(order[: order.index(version)]) - {marker.version}
    there = {part for file in world.storage.texts for part in file.split("/")[-3:-1]}
    own = {
        one.staged.version
        for one in world.attempts
        if _is_ours(world, doing, one.staged.context.staging_schema)
    }
    return newer & there & own


def _is_ours(world: "ModelWorld", doing: "Doing", staging_schema: str) -> bool:
    """True of the clean-up's own staging schema, and of one that it knows to be a former one."""
    entry = world.metastore.tables.get(TableName(doing.staging_schema, STAGING_ID))
    noted = entry.parameters.items() if entry is not None else ()
    former = {value for key, value in noted if key.startswith(FORMER)}
    return staging_schema in {doing.staging_schema, *former}


def _is_of(attempt: "Attempt | None", entry: TableEntry | None) -> bool:
    shown = entry.directory_name if entry is not None else None
    return attempt is not None and shown == attempt.staged.version


def _is_rolled_back(entry: TableEntry) -> bool:
    marker = Marker.of(entry)
    return marker is not None and marker.lineage.entries[0].kind is PublicationKind.ROLLBACK


def _is_upkeep(was: TableEntry, now: TableEntry, *, was_held: bool) -> bool:
    """The same commit: Hive's columns are filled, or partitions are tracked.

    A call that was slow writes the whole entry as it has read it, whoever altered that meanwhile.
    """
    if was_held:
        return _same_data(was, now) and Marker.of(was) == Marker.of(now)
    keys = {
        key
        for key in was.parameters.keys() | now.parameters.keys()
        if was.parameters.get(key) != now.parameters.get(key)
    }
    columns = now.columns == was.columns or not was.columns
    return _same_data(was, now) and columns and keys <= BOOKKEEPING


def _is_fence(was: TableEntry, now: TableEntry) -> bool:
    marker = Marker.of(now)
    kind = marker.lineage.entries[0].kind if marker else None
    later = was.parameters.get(LAST_DDL_TIME) != now.parameters.get(LAST_DDL_TIME)
    return _same_data(was, now) and (kind is PublicationKind.FENCE if marker else later)


def _same_data(was: TableEntry, now: TableEntry) -> bool:
    """One location, one schema, the same keys."""
    return (was.location, was.parameters.get(SCHEMA), was.partition_keys) == (
        now.location,
        now.parameters.get(SCHEMA),
        now.partition_keys,
    )
