"""A writer process that rebuilds a table at a test's command."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from readers.child import Child, running_child, wait_ready
from readers.journal import Commit
from servers.standalone import ONLY_HERE, SPARK_SUBMIT

BUILT_WITHIN_SECONDS = 480.0


@dataclass(frozen=True, slots=True)
class Rebuilds:
    """A running writer; ``child`` gives its process, for tests that kill it."""

    child: Child

    def ask(self, version: int) -> None:
        """Have ``version`` built, without waiting for it."""
        self.child.tell(str(version))

    def build(self, version: int) -> None:
        """Have ``version`` built; return when it is committed."""
        self.ask(version)
        self.child.wait_until(
            lambda: any(commit.version == version for commit in self.commits()),
            BUILT_WITHIN_SECONDS,
            f"version {version}",
        )

    def commits(self) -> list[Commit]:
        """Return the commits so far."""
        return [Commit(**line) for line in self.child.lines()]


@contextmanager
def running_writer(
    project: Path,
    directory: Path,
    *,
    same: bool = False,
    submitted: Mapping[str, str] | None = None,
) -> Iterator[Rebuilds]:
    """Run a writer of the dbt project in ``project``; its journal is in ``directory``.

    With ``same``, all versions have one schema. ``submitted`` are the settings that spark-submit
    is given, where that starts the writer.
    """
    arguments = ["--project", str(project), *(["--same"] if same else [])]
    launcher: list[str | Path] = [sys.executable]
    if submitted is not None:
        arguments.append("--submitted")
        launcher = ["env", *(f"{name}={value}" for name, value in ONLY_HERE.items()), SPARK_SUBMIT]
        launcher += [part for pair in submitted.items() for part in ("--conf", "=".join(pair))]
    with running_child("writer", "writer.py", arguments, directory, launcher) as child:
        wait_ready(child)
        yield Rebuilds(child)
