"""Judges what readers saw against what was committed."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from readers.journal import Commit, Fault, Read

MIXES = (Fault.MIXED, Fault.FAILED)
"""What a reader may get of the schema of one version with the directory of another."""
ABSENT = "TABLE_OR_VIEW_NOT_FOUND"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many reads there were, of which kinds, and one sentence for each violation.

    ``excused`` are the mixed reads during publications that said that there may be some.
    """

    reads: int
    overtaken: int
    failed: int
    mixed: int
    empty: int
    partial: int
    excused: int
    versions: tuple[int, ...]
    violations: tuple[str, ...]


def judge_fresh(
    reads: Sequence[Read], commits: Sequence[Commit], *, may_be_overtaken: bool = False
) -> Verdict:
    """Judge readers that look the table up anew for each read.

    Versions must grow with the commits, and ``commits`` must hold all of them, the
    first included. No read may see a fault, a version that nobody committed or not
    yet, one older than the last commit before the read, or one older than an earlier
    read saw, whichever reader made it. A read that mixes two versions is excused while a
    commit is under way that says that this may be; one that finds no table never is.

    Args:
        may_be_overtaken: such a fault is counted, and is no violation.
    """
    seen = sorted(_without_fault(reads), key=attrgetter("started"))
    excused = [read for read in reads if _is_excused(read, commits)]
    judged = [read for read in reads if read not in excused]
    return _verdict(
        reads,
        [
            *_faults(judged, may_be_overtaken=may_be_overtaken),
            *_uncommitted(seen, commits),
            *_outdated(seen, commits),
            *_backwards(seen),
        ],
        len(excused),
    )


def judge_stale(reads: Sequence[Read], commits: Sequence[Commit]) -> Verdict:
    """Judge readers that look the table up once: each sees one version, no fault.

    Spark asks the metastore for each query all the same: a read is excused as ``judge_fresh`` says.
    """
    judged = [read for read in reads if not _is_excused(read, commits)]
    said = [*_faults(judged), *_changed(_without_fault(reads))]
    return _verdict(reads, said, len(reads) - len(judged))


def judge_lagging(reads: Sequence[Read], commits: Sequence[Commit]) -> Verdict:
    """Judge readers whose catalog decides when to look anew.

    A version may be an old one. It was committed, and no reader goes back to an older one;
    reads may be overtaken.
    """
    seen = sorted(_without_fault(reads), key=attrgetter("started"))
    return _verdict(
        reads,
        [
            *_faults(reads, may_be_overtaken=True),
            *_uncommitted(seen, commits),
            *(said for own in _of_each_reader(seen) for said in _backwards(own)),
        ],
    )


def _is_excused(read: Read, commits: Iterable[Commit]) -> bool:
    if read.kind not in MIXES or ABSENT in str(read.fault):
        return False
    return any(
        commit.reader_window == "mixed"
        and commit.started <= read.ended
        and read.started <= commit.ended
        for commit in commits
    )


def _verdict(reads: Sequence[Read], violations: Iterable[str], excused: int = 0) -> Verdict:
    kinds = Counter(read.kind for read in reads)
    return Verdict(
        reads=len(reads),
        overtaken=kinds[Fault.OVERTAKEN],
        failed=kinds[Fault.FAILED],
        mixed=kinds[Fault.MIXED],
        empty=kinds[Fault.EMPTY],
        partial=kinds[Fault.PARTIAL],
        excused=excused,
        versions=tuple(sorted({_version(read) for read in _without_fault(reads)})),
        violations=tuple(violations),
    )


def _without_fault(reads: Iterable[Read]) -> list[Read]:
    return [read for read in reads if read.fault is None]


def _version(read: Read) -> int:
    if read.version is None:
        raise ValueError(f"{_name(read)} has neither a version nor a fault")
    return read.version


def _name(read: Read) -> str:
    return f"The read of {read.reader} from {read.started:.3f} to {read.ended:.3f}"


def _faults(reads: Iterable[Read], *, may_be_overtaken: bool = False) -> Iterator[str]:
    excused = {None, Fault.OVERTAKEN} if may_be_overtaken else {None}
    for read in reads:
        if read.kind not in excused:
            yield f"{_name(read)} saw a fault, {read.fault}."


def _uncommitted(seen: Iterable[Read], commits: Iterable[Commit]) -> Iterator[str]:
    begun = {commit.version: commit.started for commit in commits}
    for read in seen:
        start = begun.get(_version(read), math.inf)
        if start == math.inf:
            yield f"{_name(read)} saw version {read.version}, which nobody committed."
        elif read.ended < start:
            yield f"{_name(read)} saw version {read.version} before its commit at {start:.3f}."


def _outdated(seen: Iterable[Read], commits: Iterable[Commit]) -> Iterator[str]:
    by_end = sorted(commits, key=attrgetter("ended"))
    for read in seen:
        done = [commit.version for commit in by_end if commit.ended < read.started]
        if done and _version(read) < max(done):
            yield f"{_name(read)} saw version {read.version} after the commit of {max(done)}."


def _backwards(seen: Sequence[Read]) -> Iterator[str]:
    for read in seen:
        earlier = [_version(other) for other in seen if other.ended < read.started]
        if earlier and _version(read) < max(earlier):
            yield f"{_name(read)} saw version {read.version} after {max(earlier)} had been seen."


def _changed(seen: Iterable[Read]) -> Iterator[str]:
    for own in _of_each_reader(seen):
        versions = list(dict.fromkeys(_version(read) for read in own))
        if len(versions) > 1:
            yield f"{own[0].reader} saw versions {versions}, though it never refreshed."


def _of_each_reader(seen: Iterable[Read]) -> Iterator[Sequence[Read]]:
    by_reader = sorted(seen, key=attrgetter("reader", "started"))
    for _, own in groupby(by_reader, key=attrgetter("reader")):
        yield list(own)
