"""A writer and readers of one table, until there were enough reads and commits to judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from readers.content import PARTITION_KEY
from readers.journal import Commit
from readers.judge import Verdict, judge_fresh, judge_stale
from readers.loop import running_readers
from readers.project import NAME, session_output, write_project
from readers.reader import Mode
from readers.rebuilds import running_writer

SCHEMA = "isolated"
# Every version has columns and partitions of its own; every second one, another format.
MODEL = {
    "materialized": "atomic_table",
    "partition_by": PARTITION_KEY,
    "file_format": "{{ 'orc' if (var('v') | int) // 2 % 2 else 'parquet' }}",
}


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


def run_trial(
    conf: Mapping[str, str],
    sessions: Sequence[Sequence[Mode]],
    *,
    reads: int,
    commits: int,
    directory: Path,
) -> Trial:
    """Commit version 1, start readers, commit ``commits`` more; at least ``reads`` reads.

    ``sessions`` are those of each reading process. Files lie in ``directory``.
    """
    output = session_output("ctas_spark", SCHEMA, conf)
    project = write_project(directory / "project", output, MODEL)
    reads_of_each = ceil(reads / (commits * len(sessions)))
    with running_writer(project, directory) as writer:
        writer.build(1)
        with running_readers(conf, f"{SCHEMA}.{NAME}", sessions, directory) as readers:
            readers.wait_for(1)
            for version in range(2, 2 + commits):
                writer.build(version)
                readers.wait_for_more(reads_of_each)
            fresh, stale = readers.reads(Mode.FRESH), readers.reads(Mode.STALE)
        committed = writer.commits()
    return Trial(judge_fresh(fresh, committed), judge_stale(stale), committed)
