"""A copy of the example project with a metastore of its own, and dbt run in it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from servers.metastore import Metastore, running_metastore
from servers.processes import wait_until
from story.dashboard import Dashboard, running_dashboard

DBT = Path(sys.executable).with_name("dbt")
TIME = re.compile(r"^\d\d:\d\d:\d\d +")
WRITES_WITHIN_SECONDS = 300.0
APOSTROPHE = re.compile(r"\\*'")
PARTS_OF_A_RESULT = ("run_results.json", "manifest.json", "compiled", "run")
LEFT_OUT = ("data", "logs", "target", "metastore_db", "spark-warehouse")
# Both start quickly. The dialect of SQL is this adapter's default: Spark 4 has another one.
SAME = {
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.ansi.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dataclass(frozen=True, slots=True)
class Adapter:
    """What differs between the two copies."""

    name: str
    type: str
    materialized: str
    profile: tuple[tuple[str, str], ...] = ()


OURS = Adapter("ours", "ctas_spark", "atomic_table")
STOCK = Adapter("stock", "spark", "table", (("method", "session"), ("host", "NA")))


@dataclass(frozen=True, slots=True)
class Run:
    """A dbt command that has ended: its exit code, and what it said."""

    code: int
    lines: Sequence[str]
    kept: Path


@dataclass(frozen=True, slots=True)
class Project:
    """The copy, its metastore, and the dashboard that reads its tables."""

    directory: Path
    results: Path
    metastore: Metastore
    dashboard: Dashboard

    def dbt(
        self, kept_as: str, *arguments: str, hear: Callable[[str], None] = lambda _: None
    ) -> Run:
        """Run dbt; each line is heard, and its results are kept under a name of their own."""
        with self.running(*arguments) as process:
            return self.finished(process, kept_as, hear)

    @contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """dbt in a process group of its own, as a terminal starts it."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        process = subprocess.Popen(  # noqa: S603
            # A shell without a terminal starts what runs in its background with SIGINT ignored.
            ["setpriv", "--pdeathsig", "KILL", "env", "--default-signal=INT", DBT, *arguments],  # noqa: S607
            cwd=self.directory,
            env={**environment, "DBT_USE_COLORS": "false", "DBT_PROFILES_DIR": "."},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def finished(
        self,
        process: subprocess.Popen[str],
        kept_as: str,
        hear: Callable[[str], None] = lambda _: None,
    ) -> Run:
        """Hear a running dbt to its end, and keep what it leaves in target/."""
        lines = []
        assert process.stdout is not None  # noqa: S101 (it is a pipe)
        for line in process.stdout:
            lines.append(TIME.sub("", line.rstrip("\n")))
            hear(lines[-1])
        kept = self.results / f"{self.directory.name}-{kept_as}"
        kept.mkdir(parents=True)
        (kept / "terminal.log").write_text("\n".join(lines) + "\n")
        for part in PARTS_OF_A_RESULT:
            _keep(self.directory / "target" / part, kept / part)
        return Run(process.wait(), lines, kept)

    def wait_until_writing(self, process: subprocess.Popen[str]) -> None:
        """Return once a job of this dbt writes a version of a table, or dbt has ended."""
        wait_until(
            lambda: process.poll() is not None or self._is_writing(),
            WRITES_WITHIN_SECONDS,
            "a job that writes",
        )

    def _is_writing(self) -> bool:
        return any(self.metastore.warehouse.rglob("_temporary"))


def _keep(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    elif source.exists():
        shutil.copy2(source, target)


@contextmanager
def copied(example: Path, home: Path, adapter: Adapter) -> Iterator[Project]:
    """Copy the example below ``home``, and start a metastore and a dashboard for it.

    Both copies write the apostrophes of a seed in another way: dbt-spark can't load them.
    """
    directory = home / adapter.name
    shutil.copytree(example, directory, ignore=shutil.ignore_patterns(*LEFT_OUT))
    airports = directory / "seeds" / "airports.csv"
    airports.write_text(APOSTROPHE.sub("\N{RIGHT SINGLE QUOTATION MARK}", airports.read_text()))
    with running_metastore(directory / "metastore", directory / "warehouse") as metastore:
        _set_up(directory, adapter, metastore)
        with running_dashboard(metastore.spark_conf(), directory / "dashboard.log") as dashboard:
            yield Project(directory, home / "results", metastore, dashboard)


def _set_up(directory: Path, adapter: Adapter, metastore: Metastore) -> None:
    """The lines of dbt_project.yml and profiles.yml that differ."""
    settings = directory / "dbt_project.yml"
    text = settings.read_text()
    settings.write_text(text.replace(OURS.materialized, adapter.materialized))
    output = {
        "type": adapter.type,
        **dict(adapter.profile),
        "schema": "nycflights",
        "threads": 4,
        "server_side_parameters": {**metastore.spark_conf(), **SAME},
    }
    profile = {"nycflights": {"target": "dev", "outputs": {"dev": output}}}
    (directory / "profiles.yml").write_text(json.dumps(profile, indent=2))
