"""A table under runs that come, race and end at random, while others read it."""

import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pymetastore.hive_metastore.ttypes import NoSuchObjectException

from ctas_spark.publish.marker import LINEAGE, VERSION, Lineage
from functional.outside import Outside
from random_runs.attempt import POLL_SECONDS, RUN, Attempt, Ended, Fate, Told
from readers.content import PARTITION_KEY
from readers.journal import Read
from readers.loop import running_readers
from readers.project import NAME, session_output, write_project
from readers.reader import Mode
from servers.metastore import Metastore

SCHEMA = "soaked"
LANES = 2
FATES = (Fate.LIVES,) * 4 + (Fate.KILLED,) * 3 + (Fate.TERMINATED, Fate.INTERRUPTED) * 2
NOTHING_KEPT = {"keep": 0, "grace": 0}
VACUUM = (
    "run-operation",
    "ctas_vacuum",
    f"--args={json.dumps({'model': NAME, 'older_than': 0, 'fence': True})}",
)
"""At the end nobody is at work any more: what is left of dead runs may go at once."""
LAYOUT = {"partition_by": PARTITION_KEY, "file_format": "parquet"}
OURS = {
    **LAYOUT,
    "materialized": "atomic_table",
    "atomicity": "isolated",
    "versions_to_keep": "{{ var('keep', 1) | int }}",
    "grace_period": "{{ var('grace', 60) | int }}",
}
STOCK = {**LAYOUT, "materialized": "table"}


@dataclass(frozen=True, slots=True)
class Limits:
    """How long it goes on: until both are reached. ``seed`` gives the fates and their moments."""

    seconds: float
    runs: int
    readers: int
    seed: int


@dataclass(slots=True)
class Publications:
    """The table's versions in the order of their commits, from looks at its lineage."""

    outside: Outside
    versions: list[str] = field(default_factory=list)
    commits: set[str] = field(default_factory=set)
    gaps: int = 0

    def look(self) -> None:
        """Take over what is new; a lineage of which nothing is known has begun anew: a gap."""
        try:
            text = self.outside.parameters(NAME).get(LINEAGE, "")
        except NoSuchObjectException:
            text = ""
        entries = Lineage.parse(text).entries
        if self.commits and not any(entry.commit in self.commits for entry in entries):
            self.gaps += 1
        for entry in reversed(entries):
            if entry.commit not in self.commits:
                self.commits.add(entry.commit)
                if not entry.kind.keeps_the_version:
                    self.versions.append(entry.version)


@dataclass(frozen=True, slots=True)
class Life:
    """What happened; ``left`` is what there is besides the live version after the last clean-up."""

    reads: Sequence[Read]
    runs: Sequence[Ended]
    published: Sequence[str]
    gaps: int
    left: Sequence[str]


def live(server: Metastore, adapter: str, limits: Limits, directory: Path) -> Life:
    """Build a table, read it, and run dbt over it in ``LANES`` lanes until the limits.

    Args:
        adapter: ``ctas_spark``, or ``spark`` for the stock adapter as the control, which has no
            clean-up: a run that was killed leaves a directory that fails those after it.
    """
    is_ours = adapter == "ctas_spark"
    model = OURS if is_ours else STOCK
    output = session_output(adapter, SCHEMA, server.spark_conf())
    project = write_project(directory / "project", output, model)
    publications = Publications(Outside(server, SCHEMA))
    runs = [_alone(project, 1, {})]
    publications.look()
    sessions = [[Mode.FRESH]] * limits.readers
    conf, tables = server.spark_conf(), [f"{SCHEMA}.{NAME}"]
    with running_readers(conf, tables, sessions, directory) as readers:
        readers.wait_for(1)
        runs += _random_runs(project, limits, publications, runs[0])
        readers.wait_for_more(1)
        reads = readers.reads(Mode.FRESH)
    left: list[str] = []
    if is_ours:
        runs.append(_alone(project, len(runs) + 1, NOTHING_KEPT))
        _alone(project, len(runs) + 1, NOTHING_KEPT, VACUUM)
        publications.look()
        left = _left(publications.outside)
    return Life(reads, runs, publications.versions, publications.gaps, left)


def _alone(
    project: Path, number: int, variables: Mapping[str, object], command: Sequence[str] = RUN
) -> Ended:
    """A run that nobody disturbs, which has to succeed."""
    ended = Attempt(project, number, Fate.LIVES, 0, variables, command).wait()
    if ended.code != 0:
        raise AssertionError(f"run {number} failed:\n{ended.log[-4000:]}")
    return ended


def _random_runs(
    project: Path, limits: Limits, publications: Publications, first: Ended
) -> list[Ended]:
    chance = random.Random(limits.seed)  # noqa: S311 (nothing secret)
    longest = first.ended - first.started
    until = time.monotonic() + limits.seconds
    ended: list[Ended] = []
    lanes: list[Attempt] = []
    number = 1
    try:
        while lanes or len(ended) < limits.runs or time.monotonic() < until:
            more = len(ended) + len(lanes) < limits.runs or time.monotonic() < until
            if more and len(lanes) < LANES:
                number += 1
                fate, after = chance.choice(FATES), chance.uniform(0, longest)
                lanes.append(Attempt(project, number, fate, after, {}))
            for lane in list(lanes):
                one = lane.looked_at()
                if one is not None:
                    lanes.remove(lane)
                    ended.append(one)
                    publications.look()
                    if one.told in (Told.PUBLISHED, Told.REFUSED):
                        longest = max(longest, one.ended - one.started)
            time.sleep(POLL_SECONDS)
    finally:
        for lane in lanes:
            lane.end()
    return sorted(ended, key=lambda one: one.number)


def _left(outside: Outside) -> list[str]:
    """Entries and directories that nothing needs any more; a vacuum's own records have to wait."""
    live = outside.parameters(NAME).get(VERSION)
    wanted = {NAME, live, f"{NAME}__{live}", *outside.tombstones()}
    found = [*outside.tables(), *outside.records(), *outside.versions()]
    return [one for one in found if one not in wanted]
