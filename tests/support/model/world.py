"""What the runs, the users and the clock of one example share."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ctas_spark.context import TableName
from ctas_spark.errors import StagingError
from ctas_spark.files.base import SCHEMA
from ctas_spark.metastore.client import (
    EntryChange,
    Partition,
    TableEntry,
)
from ctas_spark.publish.marker import Marker, PublicationKind
from fakes.clock import FakeClock
from fakes.metastore import FakeMetastore
from fakes.storage import FakeStorage
from model.attempts import (
    OTHER_SCHEMA,
    STAGING_SCHEMAS,
    TARGETS,
    Attempt,
    Columns,
    Doing,
    columns_of,
)
from model.faults import CHANGES
from model.journal import Logged
from model.runs import Run
from model.spark import partitions
from model.watch import Watch
from model.wire import Late

GIVEN_UP_AFTER_MS = 86_400_000
"""A request, or a process, that hangs for so long never goes on."""
LOCKS_END_AFTER_MS = 300_000


class ModelWorld:
    """``written`` has every file that was ever written to a table's directory.

    ``touches`` counts what users did to each target's entry, ``inserts`` their INSERTs; ``columns``
    are those that each directory's table should show. ``clock`` is never set; ``is_jumped`` says
    that some other clock was, so that ages are not what they seem.
    """

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.storage = FakeStorage(self.clock)
        self.metastore = FakeMetastore(lambda: self.true_ms // 1000)
        self.metastore.compares_columns = True
        self.metastore.databases[OTHER_SCHEMA] = "file:/warehouse/elsewhere"
        self.runs: list[Run] = []
        self.late: list[Late] = []
        self.written: defaultdict[str, set[str]] = defaultdict(set)
        self.touches: Counter[TableName] = Counter()
        self.inserts: Counter[TableName] = Counter()
        self.columns: dict[str, Columns] = {}
        self.log: list[Logged] = []
        self.is_jumped = False
        self.watch = Watch(self)
        self._rollbacks: set[str] = set()

    @property
    def true_ms(self) -> int:
        """The metastore's clock."""
        return self.clock.wall

    @property
    def attempts(self) -> list[Attempt]:
        """Of every run."""
        return [attempt for run in self.runs for attempt in run.attempts]

    def made(self, version: str) -> Attempt | None:
        """The attempt that made a version."""
        return next((one for one in self.attempts if one.staged.version == version), None)

    def new_run(self) -> Run:
        """One more process."""
        run = Run(self, len(self.runs))
        self.runs.append(run)
        return run

    def has(
        self, run: Run, doing: Doing, effect: Callable[[], Any], name: str, args: tuple[Any, ...]
    ) -> Any:
        """The effect of one call; what it changed is looked at at once."""
        if name not in CHANGES:
            return effect()
        if name == "delete":
            self.watch.deletes(run, doing, str(args[0]))
        before = self.shown()
        result = effect()
        self._logs(run, doing, name, args)
        if doing.was_held:
            before = self._overwritten(before, args)
        self._rolled_back(before)
        self.watch.changed(run, doing, before)
        self.watch.takes(run, doing, name, args)
        return result

    def postpone(self, late: Late) -> None:
        """Its client has gone, or was told that it failed; the server goes on."""
        self.late.append(late)
        self._logs(late.run, late.doing, f"{late.name}, which is late", late.args)

    def lands(self, late: Late) -> None:
        """The server gets to it now; nobody hears of a refusal."""
        self.late.remove(late)
        before = self.shown()
        try:
            late.effect()
        except StagingError:
            return
        late.doing.was_held = True
        self._logs(late.run, late.doing, f"{late.name}, which lands", late.args)
        before = self._overwritten(before, late.args)
        self._rolled_back(before)
        self.watch.changed(late.run, late.doing, before)
        self.watch.takes(late.run, late.doing, late.name, late.args)

    def _logs(self, run: Run, doing: Doing, call: str, args: tuple[Any, ...]) -> None:
        self.log.append(Logged(str(run), doing.word, call, args, self.shown()))

    def _rolled_back(self, before: dict[TableName, TableEntry | None]) -> None:
        """A version that is published again has the columns that it was built with."""
        for target, was in before.items():
            now = self.metastore.tables.get(target)
            marker = Marker.of(now)
            if now == was or now is None or marker is None or marker.commit in self._rollbacks:
                continue
            if marker.lineage.entries[0].kind is PublicationKind.ROLLBACK:
                self._rollbacks.add(marker.commit)
                self.columns.pop(str(now.location), None)

    def _overwritten(
        self, before: dict[TableName, TableEntry | None], args: tuple[Any, ...]
    ) -> dict[TableName, TableEntry | None]:
        """A late request has the whole entry as it was read: a column that came since is lost.

        No metastore can refuse that: it compares one property, which the column's writer kept.
        """
        change = next((one for one in args if isinstance(one, EntryChange)), None)
        if change is None or change.target not in TARGETS or change.base is None:
            return before
        if SCHEMA not in change.parameters:
            return before
        location, columns = change.staged.location, columns_of(change.parameters)
        schema = {SCHEMA: change.parameters[SCHEMA]}
        self.columns[str(location)] = columns
        return {
            name: replace(was, parameters={**was.parameters, **schema})
            if was and was.location == location
            else was
            for name, was in before.items()
        }

    def deletes_half(self, directory: str) -> None:
        """A deletion that does not come to its end; the storage deletes file by file."""
        inside = sorted(f for f in self.storage.texts if f.startswith(f"{directory}/"))
        for path in inside[: len(inside) // 2]:
            del self.storage.texts[path]

    def loses_a_file(self, directory: str) -> None:
        """Somebody deletes one; what was written there is remembered."""
        inside = sorted(one for one in self.storage.texts if one.startswith(f"{directory}/"))
        for path in inside[:1]:
            del self.storage.texts[path]

    def shown(self) -> dict[TableName, TableEntry | None]:
        """The targets' entries."""
        return {target: self.metastore.tables.get(target) for target in TARGETS}

    def visible(self) -> list[TableEntry]:
        """Every entry that users see."""
        return [e for n, e in self.metastore.tables.items() if n.database not in STAGING_SCHEMAS]

    def is_whole(self, directory: str) -> bool:
        """True if nothing of what was written there is gone."""
        return self.written[directory] <= set(self.storage.texts)

    def is_written(self, directory: str, path: str) -> None:
        """A file of a table's directory."""
        self.written[directory].add(path)

    def partitions_below(self, directory: str | None) -> tuple[Partition, ...]:
        """The partitions that a listing finds."""
        children = self.storage.children(str(directory))
        months = tuple(c.partition("=")[2] for c in children if c.startswith("month="))
        return partitions(str(directory), months)

    def passes(self, seconds: int) -> None:
        """Time goes by: locks that nobody beats end, and what hung for a day is given up."""
        self.clock.pass_ms(seconds * 1000)
        if seconds * 1000 > LOCKS_END_AFTER_MS:
            beaten = {run.lock_owner for run in self.runs if run.is_held and not run.is_asleep}
            locks = self.metastore.locks
            for lock in [one for one, held in locks.items() if held.owner not in beaten]:
                del locks[lock]
        self.late = [one for one in self.late if not self._is_old(one.since_ms)]
        for run in [r for r in self.runs if r.is_held and self._is_old(r.held_since_ms)]:
            run.dies()

    def jumps(self, seconds: int) -> None:
        """The storage's clock is set."""
        self.is_jumped = True
        self.storage.skew_ms = seconds * 1000

    def _is_old(self, since_ms: int) -> bool:
        return self.true_ms - since_ms >= GIVEN_UP_AFTER_MS
