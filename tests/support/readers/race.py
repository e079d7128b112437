"""Rivals that publish over one table at the same moment, round after round."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from readers.child import Child, running_child, wait_ready
from readers.race_judge import Attempt, Round
from readers.rival import Writers
from readers.tables import SharedTables

FIRST = "1"
ANSWERED_WITHIN_SECONDS = 480.0
# Long enough for the last rival to have read the line before the moment comes.
NOTICE_SECONDS = 0.5


def run_race(
    tables: SharedTables, writers: Writers, *, rivals: int, rounds: int, directory: Path
) -> list[Round]:
    """Have each of ``rivals`` processes stage a version on one base, then all commit at once.

    Every staged version is a CTAS of Spark's. The first round creates the table; for plain writers
    it is there already, and holds ``FIRST``.
    """
    with running_rivals(tables, writers, rivals, directory) as children:
        if writers is Writers.PLAIN:
            _round(children[:1], 0)
        return [_round(children, number) for number in range(1, rounds + 1)]


@contextmanager
def running_rivals(
    tables: SharedTables, writers: Writers, rivals: int, directory: Path
) -> Iterator[Sequence[Child]]:
    """Start the processes; files lie in ``directory``."""
    place = [f"--catalog={tables.catalog}", f"--format={tables.file_format or 'parquet'}"]
    if tables.profile:
        place.append(f"--over={json.dumps(dict(tables.profile))}")
    arguments = ["--conf", json.dumps(dict(tables.conf)), *place, f"--writers={writers.value}"]
    with ExitStack() as stack:

        def start(number: int) -> Child:
            child = running_child(f"rival-{number}", "rival.py", arguments, directory)
            return stack.enter_context(child)

        first = start(1)
        # It makes the schema: in a jdbc catalog, IF NOT EXISTS fails if another makes it meanwhile.
        wait_ready(first)
        others = [start(number) for number in range(2, rivals + 1)]
        for child in others:
            wait_ready(child)
        yield [first, *others]


def _round(children: Sequence[Child], number: int) -> Round:
    first = 1 + number * len(children)
    staged = _ask_all(children, [["stage", first + i] for i in range(len(children))])
    moment = time.monotonic() + NOTICE_SECONDS
    committed = _ask_all(children, [["commit", moment]] * len(children))
    reader = children[number % len(children)]
    (seen,) = _ask_all([reader], [["read", None]])
    attempts = (Attempt(**one, **end) for one, end in zip(staged, committed, strict=True))
    return Round(tuple(attempts), seen["number"])


def _ask_all(children: Sequence[Child], questions: Sequence[list[Any]]) -> list[dict[str, Any]]:
    """Ask each child its question, all at once; return their answers."""
    answered = [len(child.lines()) for child in children]
    for child, question in zip(children, questions, strict=True):
        child.tell(json.dumps(question))
    for child, before in zip(children, answered, strict=True):
        child.wait_for_lines(before + 1, ANSWERED_WITHIN_SECONDS)
    return [child.lines()[before] for child, before in zip(children, answered, strict=True)]
