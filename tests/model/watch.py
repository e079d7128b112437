"""What each single effect may do, looked at when it happens.

Violations are kept, for the product may swallow what is raised inside a call.
"""

from typing import TYPE_CHECKING

from dbt.adapters.ctas_spark.staging.files.records import STATE

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files import set_aside
from dbt.adapters.ctas_spark.staging.files.publication import PARTITION_PROVIDER
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import VERSION, Kind, Lineage, Marker
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import STAGING_SCHEMA

if TYPE_CHECKING:
    from model.attempts import Attempt, Doing
    from model.runs import Run
    from model.world import ModelWorld

UNKNOWN_AFTER_MS = 86_400_000
KEEPS = {
    "begin": {Kind.REPAIR},
    "settle": {Kind.REPAIR},
    "clean": {Kind.FENCE, Kind.REPAIR},
    "commit": {Kind.FENCE, Kind.REPAIR},
    "recover": {Kind.FENCE, Kind.REPAIR},
    "rollback": {Kind.FENCE, Kind.REPAIR},
}
MAY_PUT_BACK = ("begin", "clean", "commit", "recover", "rollback")
PUBLISHES = ("commit", "rollback")


class Watch:
    """``until`` says when the target last showed a version, by a clock that is never set back."""

    def __init__(self, world: "ModelWorld") -> None:
        self.violations: list[str] = []
        self.until: dict[str, int] = {}
        self._taken: set[str] = set()
        self._world = world

    def says(self, what: str) -> None:
        """The product broke a promise."""
        self.violations.append(what)

    def deletes(self, run: "Run", doing: "Doing", path: str) -> None:
        """A run is about to delete a directory or its own lease."""
        if "/leases/" in path:
            self._deletes_lease(run, path)
            return
        if not any(
            path in self._world.storage.files or f.startswith(f"{path}/")
            for f in self._world.storage.files
        ):
            return
        for entry in self._world.visible():
            if path in shown_directories(self._world, entry):
                self.says(f"{run} ({doing.word}) deletes {path}, which {entry.name} shows")
        own = doing.attempt.staged.version if doing.attempt else None
        version = path.rpartition("/")[2]
        if doing.rules is None:
            if version != own:
                self.says(f"{run} ({doing.word}) deletes {path}, which is not its own")
            return
        if version not in self._taken:
            self._deletes_taken_over(run, doing.rules, path)

    def takes(self, run: "Run", doing: "Doing", name: str, args: tuple[object, ...]) -> None:
        """A clean-up has moved a record to ``deleting``: from here on its version may go."""
        change = args[0] if name in ("alter_table", "create_table") else None
        if not isinstance(change, EntryChange) or doing.rules is None:
            return
        version = change.parameters.get(VERSION, "")
        if change.parameters.get(STATE) == "deleting" and version not in self._taken:
            self._taken.add(version)
            live = [Marker.of(entry) for entry in self._world.shown().values()]
            if any(marker and marker.version == version for marker in live):
                self.says(f"{run} takes the record of {version}, which is the table")
            self._keeps_the_rules(run, doing, version)

    def changed(
        self, run: "Run", doing: "Doing", before: dict[TableName, TableEntry | None]
    ) -> None:
        """A call of a run has had its effect."""
        for target, was in before.items():
            now = self._world.metastore.tables.get(target)
            if now == was:
                continue
            self.left(was, now)
            self._may_win_over_a_rename(doing, target, was)
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

    def _may_win_over_a_rename(
        self, doing: "Doing", target: TableName, was: TableEntry | None
    ) -> None:
        """At ``atomic`` the last of two writers may win: a creation while the old one is aside."""
        aside = set_aside.of_target(self._world.metastore, target, STAGING_SCHEMA)
        if doing.word in PUBLISHES and was is None and aside:
            self._world.touches[target] += 1

    def _deletes_taken_over(self, run: "Run", rules: RetentionRules, path: str) -> None:
        """A managed table's files, which a version replaced: no other record is taken."""
        until = self.until.get(path)
        if until is None:
            self.says(f"{run} deletes {path}, whose record nobody took")
        elif self._world.true_ms - until < rules.grace_ms:
            self.says(f"{run} deletes {path} within the grace")
        self._world.written.pop(path, None)  # another table may come to lie there

    def _deletes_lease(self, run: "Run", path: str) -> None:
        lease = path.rpartition("/")[2]
        owner = next(one for one in self._world.runs if one.lease.id == lease)
        silent_ms = self._world.storage.now_ms - self._world.storage.modified[path]
        if owner is not run and not owner.is_dead and silent_ms < UNKNOWN_AFTER_MS:
            self.says(f"{run} deletes the lease of {owner}, which lives")
        left = self._unpublished(lease)
        if owner is not run and left:
            self.says(f"{run} deletes the lease of {owner}, of which {left} are left")

    def _unpublished(self, lease: str) -> list[str]:
        """Records and files of the run's versions that no lineage has."""
        markers = [Marker.of(entry) for entry in self._world.shown().values()]
        names = [
            name.table
            for name in self._world.metastore.tables
            if f"__{lease}_" in name.table and set_aside.INFIX not in name.table
        ]
        left = [*names, *(file for file in self._world.storage.files if f"/{lease}_" in file)]
        published = [entry.version for one in markers if one for entry in one.lineage.entries]
        return [one for one in left if not any(version in one for version in published)]

    def _keeps_the_rules(self, run: "Run", doing: "Doing", version: str) -> None:
        rules = doing.rules
        assert rules is not None
        until = self.until.get(version)
        if until is not None and self._world.true_ms - until < rules.grace_ms:
            age = (self._world.true_ms - until) // 1000
            self.says(f"{run} deletes {version}, which was the table until {age} s ago")
        if doing.was_held:
            return
        for target, entry in self._world.shown().items():
            newer = newer_ones(self._world, entry, version)
            if newer is not None and len(newer - self._taken) < rules.versions_to_keep:
                self.says(f"{run} deletes {version} of {target}, which is to be kept")

    def _fits_the_step(
        self, run: "Run", doing: "Doing", was: TableEntry | None, now: TableEntry | None
    ) -> None:
        """Before the commit nothing but a repair; after it nothing but that; a fence in a sweep."""
        marker = Marker.of(now)
        kinds = KEEPS.get(doing.word, set())
        if doing.word == "commit" and (now is None or _is_of(doing.attempt, now)):
            return
        if doing.word == "rollback" and (now is None or _is_rolled_back(now)):
            return
        if now is not None and doing.word in MAY_PUT_BACK and _is_put_back(was, now):
            return
        if was is not None and now is not None and _same_data(was, now):
            entries = (marker.lineage if marker else _lineage(now)).entries
            if entries and entries[0].kind in kinds:
                return
        self.says(f"{run} ({doing.word}) changes the target from {was} to {now}")

    def _follows(self, run: "Run", was: TableEntry | None, now: TableEntry | None) -> None:
        """One more entry at the head of the lineage, the rest as it was."""
        before, after = Marker.of(was), Marker.of(now)
        if before is None or after is None:
            return
        head, *rest = after.lineage.entries
        continues = tuple(rest) == before.lineage.entries[: len(rest)]
        if (head.commit, after.base) != (after.commit, before.commit) or not continues:
            self.says(f"{run} broke the lineage: {before.lineage} became {after.lineage}")


def shown_directories(world: "ModelWorld", entry: TableEntry) -> set[str]:
    """Where a reader of the entry finds files."""
    kept = world.metastore.kept.get(entry.name, {}).values()
    tracked = {p.location.rpartition("/")[0] for p in kept} if is_tracked(entry) else set()
    return {str(entry.location)} | tracked


def is_tracked(entry: TableEntry) -> bool:
    """True if Spark takes the partitions from the metastore."""
    return PARTITION_PROVIDER in entry.parameters


def newer_ones(world: "ModelWorld", entry: TableEntry | None, version: str) -> set[str] | None:
    """The superseded versions that are newer and still there; None if the target knows it not."""
    marker = Marker.of(entry)
    if marker is None or not marker.lineage.has_version(version):
        return None
    order = list(dict.fromkeys(e.version for e in marker.lineage.entries))
    newer = set(order[: order.index(version)]) - {marker.version}
    there = {f.split("/")[-2] for f in world.storage.files} | {
        f.split("/")[-3] for f in world.storage.files
    }
    return newer & there


def _is_of(attempt: "Attempt | None", entry: TableEntry) -> bool:
    return attempt is not None and entry.directory_name == attempt.staged.version


def _is_rolled_back(entry: TableEntry) -> bool:
    marker = Marker.of(entry)
    return marker is not None and marker.lineage.entries[0].kind is Kind.ROLLBACK


def _is_put_back(was: TableEntry | None, now: TableEntry) -> bool:
    """True for an entry that was set aside, and for one that becomes managed again after that."""
    if was is None:
        return True
    external = {**now.parameters, "EXTERNAL": "TRUE"}
    return _same_data(was, now) and dict(was.parameters) == external


def _same_data(was: TableEntry, now: TableEntry) -> bool:
    return (was.location, was.columns, was.partition_keys) == (
        now.location,
        now.columns,
        now.partition_keys,
    )


def _lineage(entry: TableEntry) -> Lineage:
    return Lineage.parse(entry.parameters.get("ctas_spark_lineage", ""))
