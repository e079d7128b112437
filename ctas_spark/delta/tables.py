"""Delta's own Java objects: a table by its name or directory, its files, its commits.

Nothing here changes a table; ``transaction`` and RESTORE do. Delta's exceptions become the core's:
refused by name, or of unknown outcome.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from pyspark.sql import SparkSession

from ..context import TableName
from ..engines import jvm
from ..engines.protocol import WriteFigures
from ..errors import EntryMissingError, EntryModifiedError, MetastoreError, RefusedError
from .facts import (
    Action,
    CommitFacts,
    CommitMarker,
    Files,
    TableFacts,
    has_all_files,
    live_files,
    removal,
)

NO_LOG = -1
OPERATION = "org.apache.spark.sql.delta.DeltaOperations$ReplaceTable"
OPERATION_FIELDS = 11
ACTIONS = "org.apache.spark.sql.delta.actions."
MOST_COMMITS = 10
"""How many commits are read for the files of a table, before Spark is asked for them in a job."""
DOMAINS = "domainMetadata"
ROW_TRACKING = "delta.rowTracking"
CONFLICTS = {
    "io.delta.exceptions.DeltaConcurrentModificationException",
    "org.apache.spark.sql.delta.DeltaConcurrentModificationException",
}
"""The parents of every conflict: appends, deletes, metadata, protocol, transactions."""

MISSING = "org.apache.spark.sql.catalyst.analysis.NoSuchTableException"
REFUSED = ("org.apache.spark.sql.delta.", "io.delta.", "java.lang.IllegalArgumentException")


def refusal(names: Sequence[str]) -> type[MetastoreError]:
    """The error for a Java exception, by the names of its class and that class's parents.

    What Delta raises under a name of its own, or for an argument, has ended in this JVM: a commit
    before it would show in a fresh read. What the storage raises may yet have its effect.
    """
    if CONFLICTS.intersection(names):
        return EntryModifiedError
    if MISSING in names:
        return EntryMissingError
    return RefusedError if names[0].startswith(REFUSED) else MetastoreError


def _meaning(error: Exception) -> tuple[type[MetastoreError], str]:
    java = jvm.java_exception(error)
    if java is None:
        return MetastoreError, str(error)
    names, of = [], java.getClass()
    while of is not None:
        names.append(str(of.getName()))
        of = of.getSuperclass()
    return refusal(names), str(java.getMessage() or names[0])


core_errors = jvm.core_errors(_meaning)


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """A table at one version, with Delta's own objects, which take no part in comparisons."""

    facts: TableFacts
    log: Any
    snapshot: Any
    entry: Any

    def domains(self) -> list[dict[str, Any]]:
        """What features keep in the log next to the metadata, except for row ids.

        Where no feature does, Delta would read the whole log to find nothing.
        """
        if DOMAINS not in self.facts.features:
            return []
        found = self.snapshot.domainMetadata()
        read = (json.loads(str(found.apply(at).json())) for at in range(found.size()))
        domains = [dict(one["domainMetadata"]) for one in read]
        return [one for one in domains if one["domain"] != ROW_TRACKING]


class DeltaTables:
    """The Delta tables of a session; every call raises the core's errors."""

    def __init__(self, spark: SparkSession) -> None:
        self.packages = jvm.classes(spark)
        self.spark = spark
        self._session = jvm.session(spark)
        self._delta = self.packages.org.apache.spark.sql.delta

    def find(self, name: TableName) -> LoadedTable | None:
        """The table of that name, read afresh; None if the catalog says that there is none."""
        identifier = jvm.identifier(self.spark, name)
        try:
            with core_errors(f"read {name}"):
                entry = jvm.session_catalog(self.spark).getTableMetadata(identifier)
                self._forget(entry.location().toString())
                options = jvm.empty_map(self.packages)
                found = self._delta.DeltaLog.forTableWithSnapshot(self._session, entry, options)
                table = _loaded(found, self.packages.scala.Option.apply(entry))
        except EntryMissingError:
            return None
        if table is None:
            raise MetastoreError(f"{name} is in the catalog, and its directory has no Delta log")
        return table

    def at(self, directory: str) -> LoadedTable | None:
        """The table in a directory; None if no log is there."""
        with core_errors(f"read the Delta log in {directory}"):
            path = self._forget(directory)
            found = self._delta.DeltaLog.forTableWithSnapshot(self._session, path)
            return _loaded(found, self.packages.scala.Option.empty())

    def commits(self, table: LoadedTable) -> Iterator[CommitFacts]:
        """The commits that the log still has, newest first."""
        with core_errors("find the table's oldest commit"):
            oldest = self._oldest(table)
        for number in range(table.facts.number, oldest - 1, -1):
            info = self._info(table, number)
            yield CommitFacts(
                number=number,
                operation=str(info.get("operation", "unknown")),
                time_ms=int(info.get("timestamp", 0)),
                marker=CommitMarker.parse(info.get("userMetadata")),
            )

    def commits_since(self, table: LoadedTable, number: int) -> tuple[CommitFacts, ...] | None:
        """The commits after ``number``, newest first; None if the log has not all of them."""
        found = tuple(takewhile(lambda one: one.number > number, self.commits(table)))
        return found if len(found) == table.facts.number - number else None

    def added(self, table: LoadedTable) -> Files:
        """The ``add`` of each of its files by path, out of all its commits, without a Spark job."""
        with core_errors(f"list the files of {table.facts.root}"):
            return live_files(self._actions_of(table, one) for one in range(table.facts.number + 1))

    def removals(self, table: LoadedTable, time_ms: int) -> Any:
        """A Java list of what ``AddFile.removeWithTimestamp`` makes of each live file.

        By a Spark job only where the last commits don't say it: that job takes two seconds, also
        for one file.
        """
        with core_errors(f"list the files of {table.facts.root}"):
            files = self._last_files(table)
            if files is None:
                return self._removals_by_spark(table, time_ms)
            return self._made("RemoveFile", [removal(add, time_ms) for add in files.values()])

    def additions(self, adds: Sequence[Action]) -> Any:
        """A Java list of Delta's ``AddFile``."""
        return self._made("AddFile", adds)

    def figures(self, table: LoadedTable) -> WriteFigures:
        """What the job counted that filled a new table; Delta notes it in the first commit."""
        counted = self._info(table, 0).get("operationMetrics") or {}
        return WriteFigures(
            rows=_number(counted.get("numOutputRows")),
            files=_number(counted.get("numFiles")),
            bytes=_number(counted.get("numOutputBytes")),
        )

    def fits(self) -> bool:
        """True if this release of Delta has the calls that a publication makes, as they were."""
        with core_errors("look at Delta's classes"):
            utils = self.packages.org.apache.spark.util.Utils
            if not utils.classIsLoadable(OPERATION):
                return False
            operation = utils.classForName(OPERATION, True, False)
            counts = [one.getParameterCount() for one in operation.getConstructors()]
        return counts == [OPERATION_FIELDS]

    def _info(self, table: LoadedTable, number: int) -> dict[str, Any]:
        """What its writer noted of a commit."""
        with core_errors(f"read commit {number} of {table.facts.root}"):
            file = self._delta.util.FileNames.unsafeDeltaFile(table.log.logPath(), number)
            found = self._delta.DeltaHistoryManager.getCommitInfoOpt(
                table.log.store(), file, table.log.newDeltaHadoopConf()
            )
            text = str(found.get().json()) if found.isDefined() else '{"commitInfo": {}}'
        return dict(json.loads(text)["commitInfo"])

    def _last_files(self, table: LoadedTable) -> Files | None:
        """Out of the commits since the last build of ours; None if that is not among the last.

        None, too, unless they are as many files and bytes as the last commit's summary says.
        """
        counted, last = _counted(table), table.facts.number
        commits: list[list[Action]] = []
        oldest = max(self._oldest(table), last - MOST_COMMITS + 1)
        for number in range(last, oldest - 1, -1) if counted else ():
            commits.insert(0, self._actions_of(table, number))
            if has_all_files(number, commits[0]):
                found = live_files(commits)
                size = sum(add["size"] for add in found.values())
                return found if (len(found), size) == counted else None
        return None

    def _removals_by_spark(self, table: LoadedTable, time_ms: int) -> Any:
        columns = (
            "* EXCEPT (dataChange)",
            "true AS dataChange",
            f"{time_ms}L AS deletionTimestamp",
            "true AS extendedFileMetadata",
        )
        encoders = getattr(getattr(self._delta.implicits, "package$"), "MODULE$")
        files = table.snapshot.allFiles().toDF().selectExpr(jvm.strings(self.spark, *columns))
        return getattr(files, "as")(encoders.removeFileEncoder()).collectAsList()

    def _made(self, kind: str, actions: Sequence[Action]) -> Any:
        """A Java list of actions of one kind, made from one text."""
        mapper, classes = self._delta.util.JsonUtils.mapper(), self.packages.java.lang.Class
        utils = self.packages.org.apache.spark.util.Utils
        several = mapper.getTypeFactory().constructCollectionType(
            classes.forName("java.util.ArrayList"), utils.classForName(ACTIONS + kind, True, False)
        )
        return mapper.readValue(json.dumps(actions), several)

    def _oldest(self, table: LoadedTable) -> int:
        """The number of the oldest commit that the log still has."""
        return int(self._delta.DeltaHistoryManager.getEarliestDeltaFile(table.log))

    def _actions_of(self, table: LoadedTable, number: int) -> list[Action]:
        file = self._delta.util.FileNames.unsafeDeltaFile(table.log.logPath(), number)
        lines = table.log.store().read(file, table.log.newDeltaHadoopConf())
        return [json.loads(line) for line in str(lines.mkString("\n")).split("\n")]

    def _forget(self, directory: str) -> Any:
        """A table that was dropped and created again in its directory is another.

        Where Delta reads more of a log than its last commit, it asks this thread for its session,
        and a thread of dbt's has none.
        """
        jvm.activate(self.spark)
        path = self.packages.org.apache.hadoop.fs.Path(directory)
        self._delta.DeltaLog.invalidateCache(self._session, path)
        return path


def _counted(table: LoadedTable) -> tuple[int, int] | None:
    """Its files and their bytes, as the last commit's summary says; None if it has none."""
    summary = table.snapshot.checksumOpt()
    if not summary.isDefined():
        return None
    return int(summary.get().numFiles()), int(summary.get().tableSizeBytes())


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None


def _loaded(found: Any, entry: Any) -> LoadedTable | None:
    log, snapshot = found.productElement(0), found.productElement(1)
    number = int(snapshot.version())
    if number == NO_LOG:
        return None
    facts = TableFacts(
        root=str(log.dataPath().toString()),
        number=number,
        metadata=json.loads(str(snapshot.metadata().json()))["metaData"],
        protocol=json.loads(str(snapshot.protocol().json()))["protocol"],
    )
    return LoadedTable(facts, log, snapshot, entry)
