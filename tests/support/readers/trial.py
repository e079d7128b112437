"""A writer and readers of one table, until there were enough reads and commits to judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from readers.content import PARTITION_KEY
from readers.journal import Commit, Read
from readers.judge import Verdict, judge_fresh, judge_lagging, judge_stale
from readers.loop import running_readers
from readers.project import NAME, session_output, write_project
from readers.reader import Mode
from readers.rebuilds import running_writer
from readers.tables import SharedTables

SCHEMA = "isolated"
MODEL = {"materialized": "atomic_table"}
# Every third version of a table of files has no partitions.
KEYS = f"{{{{ (['{PARTITION_KEY}'] if (var('v') | int) % 3 else []) | as_native }}}}"
# What is the same in all versions, besides their columns.
SAME = {"partition_by": PARTITION_KEY, "atomicity": "isolated"}


@dataclass(frozen=True, slots=True)
class Trial:
    """What sessions saw that look the table up anew for each read, and what the others saw."""

    fresh: Verdict
    stale: Verdict
    commits: Sequence[Commit]

    @property
    def reads(self) -> int:
        """How many reads there were."""
        return self.fresh.reads + self.stale.reads


def run_trial(  # noqa: PLR0913 (what a trial is)
    tables: SharedTables,
    sessions: Sequence[Sequence[Mode]],
    *,
    reads: int,
    commits: int,
    directory: Path,
    same: bool = False,
) -> Trial:
    """Commit version 1, start readers, commit ``commits`` more; at least ``reads`` reads.

    ``sessions`` are those of each reading process. Files lie in ``directory``. Every version has a
    schema, partition keys and a format of its own; with ``same``, all versions have the same.
    """
    schema = "same" if same else SCHEMA
    output = session_output("ctas_spark", schema, tables.conf, **tables.profile)
    project = write_project(directory / "project", output, _model(tables, same=same))
    name = tables.name(schema, NAME)
    reads_of_each = ceil(reads / (commits * len(sessions)))
    submitted = tables.conf if tables.submits else None
    with running_writer(project, directory, same=same, submitted=submitted) as writer:
        writer.build(1)
        with running_readers(tables.conf, [name], sessions, directory) as readers:
            readers.wait_for(1)
            for version in range(2, 2 + commits):
                writer.build(version)
                readers.wait_for_more(reads_of_each)
            fresh, stale = readers.reads(Mode.FRESH), readers.reads(Mode.STALE)
        committed = writer.commits()
    return _judged(tables, fresh, stale, committed)


def _model(tables: SharedTables, *, same: bool) -> Mapping[str, object]:
    if same:
        return {**MODEL, **tables.model, **SAME, "file_format": tables.file_format or "parquet"}
    keys = KEYS if tables.file_format is None else PARTITION_KEY
    return {**MODEL, **tables.model, "partition_by": keys}


def _judged(
    tables: SharedTables, fresh: Sequence[Read], stale: Sequence[Read], commits: Sequence[Commit]
) -> Trial:
    """Spark keeps what a session has once found of files; a format has rules of its own."""
    if tables.file_format is None:
        return Trial(judge_fresh(fresh, commits), judge_stale(stale, commits), commits)
    verdict = judge_fresh(fresh, commits, may_be_overtaken=True)
    return Trial(verdict, judge_lagging(stale, commits), commits)
