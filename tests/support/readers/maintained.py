"""A table that is rebuilt, killed, read and maintained, each in a process of its own."""

import math
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from readers.child import Child, ChildEndedError, running_child, wait_ready
from readers.journal import Commit
from readers.judge import Verdict, judge_fresh
from readers.loop import Readers, running_readers
from readers.project import NAME, session_output, write_project
from readers.reader import Mode
from readers.rebuilds import Rebuilds, running_writer
from readers.tables import SharedTables

SCHEMA = "maintained"
MODEL = {"materialized": "table", "atomicity": "isolated"}
LONGEST = 1_800.0
"""Seconds for reading several hundred versions, one after the other, on a busy machine."""
SOONEST, LATEST = 0.05, 2.5
"""Seconds after which a build is killed: each later than the one before."""


@dataclass(slots=True)
class Life:
    """What became of a table; ``failed`` are the models that failed, though nobody else wrote."""

    commits: list[Commit] = field(default_factory=list)
    killed: list[Commit] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    maintained: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    whole: int = 0
    verdict: Verdict = field(default_factory=lambda: judge_fresh([], []))

    @property
    def violations(self) -> list[str]:
        """One sentence for each broken promise."""
        return [*self.failed, *self.verdict.violations]


def live(tables: SharedTables, directory: Path, *, commits: int, kills: int) -> Life:
    """Publish ``commits`` versions, and kill ``kills`` builds in between."""
    life = Life()
    output = session_output("ctas_spark", SCHEMA, tables.conf, **tables.profile)
    model = {**MODEL, **tables.model}
    project = write_project(directory / "project", output, model)
    name = tables.name(SCHEMA, NAME)
    numbers = iter(range(1, commits + kills + 1_000))
    turns = [len(part) for part in _parts(commits, kills + 1)]
    with running_writer(project, directory / "first", same=True) as writer:
        writer.build(next(numbers))
        life.commits += writer.commits()
    with (
        running_readers(tables.conf, [name], [[Mode.FRESH]], directory) as readers,
        _maintainer(tables, name, directory) as maintainer,
    ):
        readers.wait_for(1)
        for turn, builds in enumerate(turns):
            with running_writer(project, directory / f"turn-{turn}", same=True) as writer:
                _build(writer, readers, [next(numbers) for _ in range(builds)], life)
                if turn < kills and writer.child.process.poll() is None:
                    after = SOONEST + (LATEST - SOONEST) * turn / kills
                    _kill(writer, next(numbers), after, life)
                life.commits += writer.commits()
        readers.wait_for_more(2)
        every = [*life.commits, *life.killed]
        life.verdict = judge_fresh(readers.reads(Mode.FRESH), every, may_be_overtaken=True)
        _end(maintainer, life)
    return life


def _parts(whole: int, number: int) -> Iterator[Sequence[int]]:
    yield from (range(whole)[at::number] for at in range(number))


def _build(writer: Rebuilds, readers: Readers, versions: Sequence[int], life: Life) -> None:
    for version in versions:
        try:
            writer.build(version)
        except ChildEndedError as ended:
            life.failed.append(f"Version {version} was not built: {ended}")
            return
        readers.wait_for_more(1)


def _kill(writer: Rebuilds, version: int, after: float, life: Life) -> None:
    """The build may or may not have been published: readers may see it from its beginning on."""
    began = time.monotonic()
    writer.ask(version)
    time.sleep(after)
    os.killpg(writer.child.process.pid, signal.SIGKILL)
    writer.child.process.wait()
    life.killed.append(Commit(version, began, math.inf))


@contextmanager
def _maintainer(tables: SharedTables, name: str, directory: Path) -> Iterator[Child]:
    arguments = [
        f"--conf={tables.spark_json}",
        f"--table={name.replace('`', '')}",
        f"--catalog={tables.catalog}",
        f"--format={tables.file_format}",
    ]
    with running_child("maintainer", "maintainer.py", arguments, directory) as child:
        wait_ready(child)
        yield child


def _end(maintainer: Child, life: Life) -> None:
    """Have it read what the table has kept; it fails if a version is not whole."""
    assert maintainer.process.stdin is not None
    maintainer.process.stdin.close()
    maintainer.wait_until(
        lambda: any("whole" in line for line in maintainer.lines()), LONGEST, "reading what is kept"
    )
    for line in maintainer.lines():
        if "whole" in line:
            life.whole = line["whole"]
        elif line["refused"] is None:
            life.maintained[line["statement"]] += 1
        else:
            life.refused[f"{line['statement']}: {line['refused']}"[:120]] += 1
