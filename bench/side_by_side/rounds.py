"""Rounds in which competitors take turns, each build a process of its own from a new directory."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType

from servers.jars import fetched
from side_by_side import environments
from side_by_side.cases import Build, Case, Sample
from side_by_side.competitors import Competitor
from side_by_side.machine import settled

GIVEN_UP_AFTER_SECONDS = 3_600.0
LAST_WORDS = 300
CLASSES_VARIABLE = "SPARK_DIST_CLASSPATH"
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Plan:
    """Which competitors build what, and how often."""

    cases: Sequence[Case]
    competitors: Sequence[Competitor]
    builds: Sequence[Build]
    rounds: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A competitor's turn in a round: all builds of one case."""

    round: int
    case: Case
    competitor: Competitor


def run_rounds(plan: Plan, done: Sequence[Sample], keep: Callable[[Sample], None]) -> None:
    """Run what is not done yet; a competitor whose build of a case failed is left out from then on.

    The competitors of a round take turns in one order, and in the next round in the other.
    """
    known = list(done)
    with tempfile.TemporaryDirectory() as work:
        for turn in _turns(plan):
            if _is_wanted(turn, plan, known):
                for sample in _samples(turn, plan.builds, Path(work)):
                    known.append(sample)
                    keep(sample)


def _turns(plan: Plan) -> Iterator[Turn]:
    for number in range(plan.rounds):
        for case in plan.cases:
            for competitor in plan.competitors[:: -1 if number % 2 else 1]:
                yield Turn(number, case, competitor)


def _is_wanted(turn: Turn, plan: Plan, known: Sequence[Sample]) -> bool:
    names = (turn.case.name, turn.competitor.name)
    own = [one for one in known if (one.case, one.competitor) == names]
    of_this_round = sum(one.round == turn.round for one in own)
    return of_this_round < len(plan.builds) and not any(one.failed for one in own)


def _samples(turn: Turn, builds: Sequence[Build], work: Path) -> Iterator[Sample]:
    """The builds of one project, one after the other, until one fails."""
    directory = work / "project"
    directory.mkdir()
    try:
        prepare(turn, directory)
        for build in builds:
            sample = built(turn, build, directory)
            yield sample
            if sample.failed:
                return
    except Exception as error:  # noqa: BLE001 (whatever it was, the others go on)
        names = (turn.case.name, turn.competitor.name, builds[0].value)
        yield Sample(turn.round, *names, failed=repr(error))
    finally:
        with suppress(subprocess.SubprocessError):
            _run(turn.competitor.after, turn.competitor, directory)
        shutil.rmtree(directory, ignore_errors=True)


def prepare(turn: Turn, directory: Path) -> None:
    """Write a project, and start what its builds are to find ready."""
    case, competitor = turn.case, turn.competitor
    competitor.tool.write(case, directory)
    _run(competitor.before, competitor, directory)


def built(
    turn: Turn, build: Build, directory: Path, variables: Mapping[str, str] = NO_VARIABLES
) -> Sample:
    """Run one build, with further variables in its environment."""
    case, competitor = turn.case, turn.competitor
    tool, said = competitor.tool, directory / "said.log"
    if build is Build.TESTS:
        tool.add_tests(case, directory)
    command = tool.command(build)  # it may make an environment, and the next line an archive
    environment = {**_variables(competitor, directory), **variables}
    busy = settled()
    kept = (turn.round, case.name, competitor.name, build.value, busy)
    wall, began = time.time(), time.perf_counter()
    with said.open("w") as log:
        ended = subprocess.run(  # noqa: S603 (the programs that are compared)
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=GIVEN_UP_AFTER_SECONDS,
            check=False,
        )
    seconds = round(time.perf_counter() - began, 2)
    if ended.returncode:
        last = said.read_text(errors="replace").strip()[-LAST_WORDS:]
        return Sample(*kept, seconds, failed=f"it ended with {ended.returncode}: {last}")
    return Sample(*kept, **asdict(tool.times(directory, wall, seconds)))


def _run(command: Sequence[str], competitor: Competitor, directory: Path) -> None:
    if command:
        program = str(environments.programs(None) / command[0])
        subprocess.run(  # noqa: S603 (as above)
            [program, *command[1:]],
            cwd=directory,
            env=_variables(competitor, directory),
            stdout=sys.stderr,
            check=True,
        )


def _variables(competitor: Competitor, directory: Path) -> dict[str, str]:
    """No competitor finds an archive that nobody gave it."""
    cache = environments.archives() if competitor.archive else directory / "no-cache"
    jar = {CLASSES_VARIABLE: str(fetched(competitor.jar))} if competitor.jar else {}
    return {**os.environ, **jar, environments.CACHE_VARIABLE: str(cache)}
