"""What a soak may never show."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from random_runs.attempt import Ended, Fate, Told
from random_runs.life import Life
from readers.journal import Fault, Read

COUNTED = (Fault.FAILED, Fault.MIXED, Fault.EMPTY, Fault.PARTIAL)


def judged(life: Life) -> list[str]:
    """Every broken promise, as a sentence."""
    return [
        *(f"A read saw a fault, {read.fault}." for read in life.reads if read.fault),
        *_lost(life.runs, life.published),
        *_false(life.runs, life.reads),
        *_came_back(life.reads),
        *_outdated(life),
        *(f"Run {run.number} left a process behind." for run in life.runs if run.outlived),
        *(f"Run {run.number} hung." for run in life.runs if run.met is Fate.HUNG),
        *["The lineage began anew."] * life.gaps,
        *(f"{one} is left." for one in life.left),
    ]


def figures(life: Life) -> Mapping[str, object]:
    """How often what happened."""
    faults = Counter(read.kind for read in life.reads)
    return {
        "reads": len(life.reads),
        **{kind.value: faults[kind] for kind in COUNTED},
        "runs": len(life.runs),
        "fates": dict(sorted(Counter(run.met.value for run in life.runs).items())),
        "said of the model": dict(sorted(Counter(run.told.value for run in life.runs).items())),
        "published": len(life.published),
        "lost versions": sum(1 for _ in _lost(life.runs, life.published)),
        "leaks": len(life.left),
    }


def _lost(runs: Iterable[Ended], published: Sequence[str]) -> Iterator[str]:
    for run in runs:
        if run.version is not None and run.version not in published:
            yield f"Run {run.number} published {run.version}, which is lost."


def _false(runs: Iterable[Ended], reads: Iterable[Read]) -> Iterator[str]:
    seen = {read.version for read in reads}
    for run in runs:
        said = Told.CANCELED if run.is_said_to_be_canceled else run.told
        if said in (Told.REFUSED, Told.CANCELED) and run.number in seen:
            yield f"Run {run.number} said {said.value}, and its version was read."


def _came_back(reads: Iterable[Read]) -> Iterator[str]:
    """Each version is published once: after another was seen, it is never seen again."""
    whole = [read for read in reads if read.fault is None]
    first_seen: dict[int | None, float] = {}
    last_asked: dict[int | None, float] = {}
    for read in whole:
        first_seen[read.version] = min(first_seen.get(read.version, read.ended), read.ended)
        last_asked[read.version] = max(last_asked.get(read.version, 0.0), read.started)
    for version, since in first_seen.items():
        until = last_asked[version]
        between = [r for r in whole if r.version != version and r.started > since]
        if any(read.ended < until for read in between):
            yield f"Version {version} was read again after another one."


def _outdated(life: Life) -> Iterator[str]:
    """Once a run has ended that published, no read begins that sees an earlier version."""
    ranks = {
        run.number: life.published.index(run.version)
        for run in life.runs
        if run.version in life.published
    }
    for run in life.runs:
        if run.number not in ranks:
            continue
        late = [read for read in life.reads if read.started > run.ended]
        old = {r.version for r in late if ranks.get(r.version or 0, 10**9) < ranks[run.number]}
        for version in sorted(map(str, old)):
            yield f"Version {version} was read after run {run.number} had ended."
