"""What happens to a project with a node of every kind, one event after the other, at a place."""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from ctas_spark.steps import Step
from every_node.content import csv
from every_node.project import NODES, ONE_BATCH, Node, written
from faults.numbered import SWEEP_ALL
from faults.other_process import OtherRun, started
from functional.dbt_project import NAME, Project
from readers.tables import SharedTables
from real_places.hdfs import GROUP
from real_places.held import held_commits
from real_places.outside import Judge, Sight
from real_places.shared import AT_ONCE, Place
from servers.processes import POLL_SECONDS, tail, wait_until
from servers.standalone import SPARK_SUBMIT

SCHEMA = "places"
VIEW = "view"
"""The one node without a job and a version."""
RUN = Path(__file__).with_name("run.py")
KEPT = {"+file_format": "parquet", "+versions_to_keep": 1, "+grace_period": 0}
INT, STRING = ", cast(1 as int) as extra", ", cast('x' as string) as extra"
FAILS = " where raise_error('as it was asked to') is null"
NO_NUMBER = "id,v,part\nnone,0,0\n"
HELD_WITHIN_SECONDS = 150.0
ENDED_WITHIN_SECONDS = 120.0
REFUSED = "CONCURRENT_WRITE"
OLD, NEW = "old", "new"

Reports = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one event: what each node shows, what is left, and each broken promise.

    ``waited`` are the nodes that stood at the point at which it happened, if it was to be at one.
    """

    event: str
    nodes: Mapping[str, str]
    left: Mapping[str, int]
    violations: Sequence[str]
    waited: Sequence[str] = ()
    seconds: float = 0.0


@dataclass(slots=True)
class World:
    """A place, the project, and the last round that every node has shown."""

    place: Place
    directory: Path
    project: Project
    judge: Judge
    nodes: Mapping[str, Node]
    number: int = 0
    more: str = INT
    users: Iterator[str] = field(default_factory=lambda: cycle([""]))

    @classmethod
    def made(cls, place: Place, directory: Path) -> "World":
        """With nothing built yet."""
        nodes = {name: node for name, node in NODES.items() if not node.on_delta}
        home = directory / "project"
        project = written(home, SCHEMA, SharedTables(place.conf), "ctas_spark")
        seeds = {**KEPT, "+column_types": {"id": "bigint", "part": "{{ var('part', 'bigint') }}"}}
        kinds = {"models": {NAME: KEPT}, "seeds": {NAME: seeds}, "snapshots": {NAME: KEPT}}
        named = {"name": NAME, "profile": NAME, **kinds}
        (home / "dbt_project.yml").write_text(json.dumps(named))
        judge = Judge(place, SCHEMA, nodes)
        users = cycle(place.users or ("",))
        if place.users:
            judge.make_shared(GROUP)
        return cls(place, directory, project, judge, nodes, users=users)

    def build(self, number: int, *arguments: str, **variables: object) -> dict[str, Any]:
        """An invocation that builds a round, and what is written before it."""
        part = "int" if self.more == STRING else "bigint"
        given = {"v": number, "more": self.more, "part": part, **variables}
        command = self.project.command("build", *ONE_BATCH, *arguments, **given)
        seed = str(self.project.directory / "seeds" / "seed.csv")
        return {"command": command, "files": {seed: csv(number)}}

    def operation(self, name: str, **arguments: object) -> dict[str, Any]:
        """One of the adapter's operations."""
        command = ["run-operation", name, f"--args={json.dumps(arguments)}"]
        return {
            "command": self.project.command(*command, v=1, more=self.more),
            "files": {},
        }

    @contextmanager
    def running(
        self,
        commands: Sequence[Mapping[str, Any]],
        *,
        step: Step | None = None,
        side: str = "",
        job: str = "",
    ) -> Iterator["Running"]:
        """Start a process that runs them, as the next user.

        Args:
            step: at whose ``side`` each node waits.
            job: ``task`` or ``job``, before whose commit each node waits.
        """
        home = self.directory / f"run_{time.monotonic_ns()}"
        (held := home / "held").mkdir(parents=True)
        conf = dict(self.place.conf)
        if job:
            conf |= held_commits(self.directory / "protocol", held, conf) | {
                "spark.hadoop.held.at": job
            }
        project = replace(self.project, conf={} if self.place.submits else conf)
        project.write_profile(threads=AT_ONCE)
        report = home / "report.json"
        spec = {"commands": commands, "report": str(report), "held": str(held)}
        (home / "spec.json").write_text(
            json.dumps({**spec, "step": step.value if step else "", "side": side})
        )
        with started(home, self._command(conf, home / "spec.json")) as run:
            yield Running(run, held, report)

    def run(self, *commands: Mapping[str, Any]) -> Reports:
        """Run them to their end."""
        with self.running(commands) as running:
            return running.reports()

    def _command(self, conf: Mapping[str, str], spec: Path) -> list[str | Path]:
        variables = {**self.place.variables, "PYSPARK_PYTHON": sys.executable}
        if user := next(self.users):
            variables["HADOOP_USER_NAME"] = user
        given = [f"{name}={value}" for name, value in variables.items()]
        python: list[str | Path] = [sys.executable]
        if self.place.submits:
            python = [SPARK_SUBMIT]
            python += [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
        return ["env", "--default-signal=INT,TERM", *given, *python, RUN, spec]

    def found(
        self,
        event: str,
        expected: Mapping[str, str],
        violations: Sequence[str] = (),
        *,
        may_leave: bool = False,
        waited: AbstractSet[str] = frozenset(),
    ) -> Found:
        """Look, and compare.

        Args:
            expected: ``old`` or ``new`` for each node; a node that is not named may show both.
            may_leave: True if the event may leave what the next run or a vacuum deletes.
        """
        sight = self.judge.look()
        names = {self.number: OLD, self.number + 1: NEW}
        shown = {
            name: names.get(seen, str(seen)) if isinstance(seen, int) else seen
            for name, seen in sight.shown.items()
        }
        wrong = [
            f"{name} shows {seen}"
            for name, seen in shown.items()
            if seen not in ({expected[name]} if name in expected else {OLD, NEW})
        ]
        if sight.left and not may_leave:
            wrong.append(f"left: {dict(sight.left)}")
        wrong += self._wrong_types(event, sight)
        return Found(event, shown, sight.left, [*violations, *wrong], sorted(waited))

    def _wrong_types(self, event: str, sight: Sight) -> Iterator[str]:
        if event == CHANGED_TYPE:
            for name, kind in sight.types.items():
                if kind != "string":
                    yield f"the new column of {name} is {kind}"

    def all_nodes(self, what: str) -> dict[str, str]:
        """What each node has to show."""
        return dict.fromkeys(self.nodes, what)


@dataclass(frozen=True, slots=True)
class Running:
    """A process at work, and the nodes that wait in it."""

    process: OtherRun
    held: Path
    report: Path

    def wait_until_held(self, nodes: int) -> set[str]:
        """Wait until so many nodes wait; which ones do, if some never get there."""
        process = self.process.process
        with suppress(TimeoutError):
            wait_until(
                lambda: len(self._names()) >= nodes or process.poll() is not None,
                HELD_WITHIN_SECONDS,
                f"{nodes} nodes that wait",
            )
        assert process.poll() is None, tail(self.process.log)
        return self._names()

    def go_on(self) -> None:
        """Let all go on, and those that come later."""
        while self.process.process.poll() is None:
            for file in self.held.iterdir():
                file.unlink()
            time.sleep(POLL_SECONDS)

    def reports(self) -> Reports:
        """What became of each command, at its end."""
        self.process.ended()
        if not self.report.exists():
            return [{"success": False, "nodes": {}, "log": self.process.log.read_text()[-2000:]}]
        reports: Reports = json.loads(self.report.read_text())
        return reports

    def _names(self) -> set[str]:
        return {file.name.split(" ")[0].strip("`").split(".")[-1] for file in self.held.iterdir()}


def _failures(reports: Reports) -> list[str]:
    """What should have succeeded and did not."""
    return [f"a run failed: {_said(report)}" for report in reports if not report["success"]]


def _said(report: Mapping[str, Any]) -> str:
    failed = [f"{name}: {one[1]}" for name, one in report["nodes"].items() if one[0] == "error"]
    return "; ".join(failed) or str(report["log"])[-1500:]


def build(world: World, event: str = "build", *arguments: str, **variables: object) -> Found:
    """The next round."""
    reports = world.run(world.build(world.number + 1, *arguments, **variables))
    found = world.found(event, world.all_nodes(NEW), _failures(reports))
    world.number += 1
    return found


def changed_type(world: World) -> Found:
    """The next round, in which a column has another type; a seed's, too, and no snapshot's.

    On a server with default settings such a publication is ``atomic``.
    """
    world.more = STRING
    return build(world, CHANGED_TYPE, "--full-refresh", level="auto")


def rollback(world: World) -> Found:
    """Of every node that has versions, by one."""
    names = [name for name in world.nodes if name != VIEW]
    reports = world.run(*(world.operation("ctas_rollback", model=name) for name in names))
    world.number -= 1
    expected = {**dict.fromkeys(names, OLD), VIEW: NEW}
    return world.found("rollback", expected, _failures(reports))


def failing_model(world: World) -> Found:
    """Every node but the view, which no job makes, fails in its job."""
    command = world.build(world.number + 1, "--exclude", VIEW, where=FAILS)
    command["files"] = dict.fromkeys(command["files"], NO_NUMBER)
    (report,) = world.run(command)
    passed = [name for name, (status, _) in report["nodes"].items() if status != "error"]
    wrong = [f"{name} did not fail" for name in passed]
    return world.found("failing model", world.all_nodes(OLD), wrong)


def _held(world: World) -> int:
    return len(world.nodes) - 1


def _missed(world: World, held: AbstractSet[str]) -> list[str]:
    """What happened to fewer nodes than it should have proves less than it seems to."""
    missed = sorted({*world.nodes} - {VIEW, *held})
    return [f"these nodes did not wait: {missed}"] if missed else []


def ctrl_c(world: World) -> Found:
    """While each node is in a task; the signal comes to all processes, as from a terminal."""
    with world.running([world.build(world.number + 1)], job="task") as running:
        held = running.wait_until_held(_held(world))
        os.killpg(running.process.process.pid, signal.SIGINT)
        code = running.process.ended()
    wrong = _missed(world, held) + ([] if code else ["the run ended with 0"])
    # spark-submit's own process ends with the signal, and Spark with it
    return world.found(
        "Ctrl-C", dict.fromkeys(held, OLD), wrong, may_leave=world.place.submits, waited=held
    )


def second_writer(world: World) -> Found:
    """Another run builds all while each node is about to commit: the first run's are refused.

    What a Ctrl-C has left where spark-submit starts the driver is too young to go.
    """
    next_round = world.build(world.number + 1)
    with world.running([next_round], step=Step.COMMIT, side="entered") as first:
        held = first.wait_until_held(_held(world))
        wrong = _missed(world, held) + _failures(world.run(next_round))
        first.go_on()
        (report,) = first.reports()
    for name in held:
        status, message = report["nodes"].get(name, ("", report["log"][-500:]))
        # the result of a model that dbt runs in batches does not say why
        said = re.search(rf"\[{REFUSED}\].*\n\s+table: {SCHEMA}\.{name}\n", report["log"])
        if status != "error" or not said:
            wrong.append(f"{name} was not refused: {status} {message}")
    found = world.found(
        "second writer", world.all_nodes(NEW), wrong, may_leave=world.place.submits, waited=held
    )
    world.number += 1
    return found


@dataclass(frozen=True, slots=True)
class Kill:
    """Every process at once, while each node waits at a point; what each shows then."""

    event: str
    shown: str
    step: Step | None = None
    side: str = ""
    job: str = ""

    def __call__(self, world: World) -> Found:
        """Kill a run of the next round."""
        command = world.build(world.number + 1)
        with world.running([command], step=self.step, side=self.side, job=self.job) as running:
            held = running.wait_until_held(_held(world))
            running.process.kill()
        if world.place.cluster:
            executors = world.place.cluster.executors
            wait_until(lambda: not executors(), ENDED_WITHIN_SECONDS, "the end of the executors")
        return world.found(
            self.event,
            dict.fromkeys(held, self.shown),
            _missed(world, held),
            may_leave=True,
            waited=held,
        )


def vacuum(world: World) -> Found:
    """After the round that was killed is built; by each user, who alone may delete what is left."""
    wrong = _failures(world.run(world.build(world.number + 1)))
    reports: Reports = []
    for _ in world.place.users or ("",):
        reports = world.run(world.operation("ctas_vacuum", **SWEEP_ALL))
    found = world.found("vacuum", world.all_nodes(NEW), wrong + _failures(reports))
    world.number += 1
    return found


CHANGED_TYPE = "changed type"
KILLS = (
    Kill("kill -9 in tasks", OLD, job="task"),
    Kill("kill -9 in the jobs' commits", OLD, job="job"),
    Kill("kill -9 before our commits", OLD, Step.PUBLISH, "entered"),
    Kill("kill -9 after our commits", NEW, Step.PUBLISH, "left"),
)
EVENTS: Mapping[str, Callable[[World], Found]] = {
    "build": build,
    "rebuild": partial(build, event="rebuild"),
    "rollback": rollback,
    CHANGED_TYPE: changed_type,
    "failing model": failing_model,
    "Ctrl-C": ctrl_c,
    "second writer": second_writer,
    **{one.event: one for one in KILLS},
    "vacuum": vacuum,
}
"""In the order in which they happen."""
