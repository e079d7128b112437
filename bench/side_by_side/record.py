"""The file of a question's figures, which is whole after each build."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path
from typing import Any

from results_file import write_figures
from side_by_side import environments
from side_by_side.cases import DUCKDB, SQLMESH, THREADS, Sample, samples_of
from side_by_side.machine import described
from side_by_side.rounds import Plan


class Record:
    """Figures of one plan; what an earlier run of the same plan left is continued."""

    def __init__(self, path: Path, question: str, plan: Plan, on: Mapping[str, str]) -> None:
        self._path = path
        self._head = {
            "question": question,
            "plan": planned(plan),
            "machine": described(),
            "cores": os.cpu_count(),
            "on": on,
            "environments": {
                name: environments.pinned(name)
                for name in (DUCKDB, SQLMESH)
                if name in planned(plan)["competitors"]
            },
            "load before": round(os.getloadavg()[0], 2),
        }
        self.samples: list[Sample] = []

    def resume(self, builds: Sequence[str]) -> None:
        """Take over the projects whose builds are all there.

        Raises:
            ValueError: the file is of another plan, or of other versions.
        """
        if not self._path.exists():
            return
        kept = json.loads(self._path.read_text())
        for what in ("question", "plan", "machine", "on", "environments"):
            if kept[what] != json.loads(json.dumps(self._head[what])):
                raise ValueError(f"{self._path} is of another {what}: {kept[what]}")
        self._head["load before"] = kept["load before"]
        self.samples.extend(_whole(samples_of(kept), builds))

    def keep(self, sample: Sample) -> None:
        """Add a build, and write the file."""
        self.samples.append(sample)
        now = datetime.now(tz=timezone.utc).isoformat(timespec="seconds")
        rows = [_without_nothing(asdict(one)) for one in self.samples]
        write_figures(self._path, {**self._head, "finished": now, "samples": rows})


def planned(plan: Plan) -> dict[str, Any]:
    """What is measured, as JSON."""
    return {
        "cases": [one.name for one in plan.cases],
        "competitors": [one.name for one in plan.competitors],
        "builds": [one.value for one in plan.builds],
        "rounds": plan.rounds,
        "threads": [THREADS],
    }


def _whole(samples: Iterable[Sample], builds: Sequence[str]) -> list[Sample]:
    projects = groupby(samples, key=lambda one: (one.round, one.case, one.competitor))
    found = (list(own) for _, own in projects)
    return [one for own in found if len(own) == len(builds) or own[-1].failed for one in own]


def _without_nothing(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}
