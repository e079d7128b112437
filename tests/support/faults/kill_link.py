r"""One process of a chain: it looks at what the last kill left, then runs dbt and is killed in it.

PYTHONPATH=tests/support python tests/support/faults/kill_link.py --spec FILE

The first has nothing to look at, and builds the table that is there before the kill. The last is
not killed.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

from ctas_spark.engines.launch import start_spark
from ctas_spark.steps import Step, observe
from faults.after_kill import Aftermath, Kill, aftermath
from faults.kill_places import looked_at
from faults.kill_points import Layout, Point
from faults.other_process import REACHED, OtherRun, started
from faults.stopping_run import StopAt
from functional.dbt_project import Project

LIVE_AND_KEPT = 2


@dataclass(frozen=True, slots=True)
class Target:
    """A kill, and the project that it hits."""

    project: Project
    kill: Kill

    @property
    def found(self) -> Path:
        """What the process after the kill found."""
        return self.project.directory / f"aftermath_{self.kill.number}.json"

    def aftermath(self) -> Aftermath:
        """Read that."""
        return Aftermath(**json.loads(self.found.read_text()))


@contextmanager
def link(after: Target | None, then: Target | None) -> Iterator[OtherRun]:
    """Start a link."""
    known = then or after
    assert known is not None
    home = known.project.directory
    spec = home / "spec.json"
    spec.write_text(json.dumps([_as_dict(after), _as_dict(then)]))
    with started(home, [sys.executable, Path(__file__), "--spec", spec]) as run:
        yield run


def _as_dict(target: Target | None) -> object:
    if target is None:
        return None
    project = target.project
    where = [str(project.directory), project.schema, dict(project.conf)]
    return {"project": where, "kill": asdict(target.kill)}


def _target(read: dict[str, Any] | None) -> Target | None:
    if read is None:
        return None
    directory, schema, conf = read["project"]
    kill = read["kill"]
    point = Point(Step(kill["point"]["step"]), kill["point"]["side"])
    return Target(
        Project(Path(directory), schema, conf),
        Kill(Layout(kill["layout"]), point, kill["number"], kill["old"], kill["place"]),
    )


def main() -> None:
    """Look, build, and stop to be killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--spec", type=Path, required=True)
    after, then = map(_target, json.loads(parser.parse_args().spec.read_text()))
    known = after or then
    assert known is not None
    start_spark(known.project.conf, str(known.project.directory / "logs"))
    if after is not None:
        eyes = looked_at(after.project, after.kill.place)
        after.found.write_text(json.dumps(asdict(aftermath(eyes, after.kill))))
    elif known.kill.old is not None:
        known.project.write(known.kill.model(known.kill.old))
        for _ in range(LIVE_AND_KEPT):
            known.project.build()
    if then is not None:
        _stop_in(then)


def _stop_in(target: Target) -> None:
    kill, project = target.kill, target.project
    point = kill.point
    project.write(kill.model(kill.number, fails=point.fails))
    with observe(StopAt(point.step, point.side, project.directory / REACHED)):
        dbtRunner().invoke(project.command("run"))
    raise AssertionError(f"the run ended before {point}")


if __name__ == "__main__":
    main()
