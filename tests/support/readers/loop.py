"""Readers of tables, each a process of its own, while a test rebuilds the tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from readers.child import Child, running_child, wait_ready
from readers.journal import Read
from readers.reader import Mode


@dataclass(frozen=True, slots=True)
class Readers:
    """Running readers; ``directory`` holds their journals and what they printed."""

    children: Sequence[Child]
    directory: Path

    def reads(self, mode: Mode) -> list[Read]:
        """Return the reads so far of all sessions of ``mode``."""
        found = (
            Read(**line, reader=child.name) for child in self.children for line in child.lines()
        )
        return [read for read in found if read.mode == mode]

    def wait_for(self, reads: int, within: float = 120.0) -> None:
        """Wait until each reader has made ``reads`` reads since its start."""
        for child in self.children:
            child.wait_for_lines(reads, within)

    def wait_for_more(self, reads: int, within: float = 120.0) -> None:
        """Wait until each reader has made ``reads`` more reads; all but one begin after now."""
        counts = {child: len(child.lines()) for child in self.children}
        for child, count in counts.items():
            child.wait_for_lines(count + reads, within)


@contextmanager
def running_readers(
    conf: Mapping[str, str],
    tables: Sequence[str],
    sessions: Sequence[Sequence[Mode]],
    directory: Path,
) -> Iterator[Readers]:
    """Start a process for each of ``sessions``; yield when all are ready to read ``tables``.

    ``conf`` are settings of Spark, such as ``Metastore.spark_conf()``.
    """
    with ExitStack() as stack:
        children = [
            stack.enter_context(_reader(number, conf, tables, modes, directory))
            for number, modes in enumerate(sessions, start=1)
        ]
        for child in children:
            wait_ready(child)
        yield Readers(children, directory)


def _reader(
    number: int,
    conf: Mapping[str, str],
    tables: Sequence[str],
    modes: Sequence[Mode],
    directory: Path,
) -> AbstractContextManager[Child]:
    arguments = ["--conf", json.dumps(dict(conf)), *(f"--table={table}" for table in tables)]
    arguments += [f"--mode={mode.value}" for mode in modes]
    return running_child(f"reader-{number}", "reader.py", arguments, directory)
