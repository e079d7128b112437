"""A project with every kind of node: built round after round, killed, and read all the time."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from every_node.project import ONE_BATCH, nodes, set_round, written
from functional.dbt_project import Project
from random_runs.attempt import Attempt, Ended, Fate
from readers.journal import Commit, Read
from readers.judge import Verdict, judge_fresh
from readers.loop import Readers, running_readers
from readers.reader import Mode
from readers.tables import SharedTables

SCHEMA = "every_node"
REFRESHED_EACH = 3
SECONDS_BEGUN = (0.1, 0.6, 1.2)
"""How long a build lives on once the node is begun at which it is killed; in turn."""
READ_WITHIN_SECONDS = 300.0
TAIL_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How long it goes on: until there were enough reads, and enough kills, or it is time."""

    reads: int
    kills: int
    readers: int
    seconds: float = math.inf


@dataclass(frozen=True, slots=True)
class Kill:
    """A build that was killed, and what was read of each node then: old, new, or the fault.

    It was killed ``after`` so many seconds from when the node number ``begun`` had begun.
    """

    number: int
    begun: int
    after: float
    full_refresh: bool
    shown: Mapping[str, str]


@dataclass(slots=True)
class Life:
    """What happened; ``failed`` has the last words of each build that failed by itself."""

    reads: Mapping[str, Sequence[Read]] = field(default_factory=dict)
    commits: list[Commit] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def verdicts(self) -> dict[str, Verdict]:
        """What the readers of each node saw."""
        return {name: judge_fresh(reads, self.commits) for name, reads in self.reads.items()}

    def violations(self) -> list[str]:
        """Every broken promise, as a sentence."""
        each = self.verdicts().items()
        return [
            *(f"{name}: {said}" for name, verdict in each for said in verdict.violations),
            *(f"A build failed: {said}" for said in self.failed),
        ]


class Rounds:
    """Builds of the project, each a process of its own; every third round is a full refresh."""

    def __init__(self, project: Project) -> None:
        self.number = 0
        self.life = Life()
        self._project = project
        self._processes = 0
        self._started = 0.0

    @property
    def is_full_refresh(self) -> bool:
        """True if this round makes every table anew."""
        return self.number % REFRESHED_EACH == 0

    def begin(self) -> None:
        """From now on the rows of the next round may be seen."""
        self.number += 1
        set_round(self._project, self.number)
        self._started = time.monotonic()

    def build(self) -> None:
        """Build the round; once that has succeeded, its rows have to be seen."""
        ended = self._dbt(Fate.LIVES)
        done = ended.ended if ended.code == 0 else math.inf
        self.life.commits.append(Commit(self.number, self._started, done))
        if ended.code != 0:
            self.life.failed.append(ended.log[-TAIL_CHARACTERS:])

    def kill(self, begun: int, after: float) -> bool:
        """Try to build the round, and kill it; False if it had ended before."""
        return self._dbt(Fate.KILLED, after, begun).met is Fate.KILLED

    def _dbt(self, fate: Fate, after: float = 0.0, begun: int = 0) -> Ended:
        self._processes += 1
        command = ["build", *ONE_BATCH, *(["--full-refresh"] if self.is_full_refresh else [])]
        variables = {"v": self.number}
        where = self._project.directory
        return Attempt(where, self._processes, fate, after, variables, command, begun=begun).wait()


def live(tables: SharedTables, adapter: str, limits: Limits, directory: Path) -> Life:
    """Build, and then kill and build while others read, until the limits.

    Args:
        adapter: ``ctas_spark``, or ``spark`` for the stock adapter as the control.
    """
    rounds = Rounds(written(directory / "project", SCHEMA, tables, adapter))
    found = nodes(tables, adapter)
    names = {tables.name(SCHEMA, name): name for name in found}
    looks = [f"{path}={found[name].shape.value}" for path, name in names.items()]
    sessions = [[Mode.FRESH]] * limits.readers
    until = time.monotonic() + limits.seconds
    rounds.begin()
    rounds.build()
    with running_readers(tables.conf, looks, sessions, directory) as readers:
        readers.wait_for(len(looks), READ_WITHIN_SECONDS)
        while _is_going_on(rounds, limits, readers, until):
            rounds.begin()
            if len(rounds.life.kills) < limits.kills:
                _kill(rounds, limits, readers, names)
            rounds.build()
            readers.wait_for_more(len(looks), READ_WITHIN_SECONDS)
        rounds.life.reads = _by_node(readers.reads(Mode.FRESH), names)
    return rounds.life


def _is_going_on(rounds: Rounds, limits: Limits, readers: Readers, until: float) -> bool:
    reads, kills = len(readers.reads(Mode.FRESH)), len(rounds.life.kills)
    return (reads < limits.reads or kills < limits.kills) and time.monotonic() < until


def _kill(rounds: Rounds, limits: Limits, readers: Readers, names: Mapping[str, str]) -> None:
    """Kill one build, and have every node read at least once before the next begins."""
    nth = (rounds.number - 2) % limits.kills
    begun = 1 + nth * len(names) // limits.kills
    after = SECONDS_BEGUN[nth % len(SECONDS_BEGUN)]
    if not rounds.kill(begun, after):
        return
    since = time.monotonic()
    readers.wait_for_more(1 + len(names), READ_WITHIN_SECONDS)
    late = [read for read in readers.reads(Mode.FRESH) if read.started > since]
    shown = {
        name: ", ".join(sorted({_shown(read, rounds.number) for read in reads}))
        for name, reads in _by_node(late, names).items()
    }
    kill = Kill(rounds.number, begun, after, rounds.is_full_refresh, shown)
    rounds.life.kills.append(kill)


def _by_node(reads: Sequence[Read], names: Mapping[str, str]) -> dict[str, list[Read]]:
    return {name: [read for read in reads if read.table == path] for path, name in names.items()}


def _shown(read: Read, number: int) -> str:
    versions = {number: "new", number - 1: "old"}
    return read.kind.value if read.kind else versions.get(read.version or 0, "older")
