"""The story of ./demo: the same project with dbt-spark and with this adapter, read meanwhile.

    PYTHONPATH=bin:tests/support python -m story EXAMPLE HOME

Its copies of the example, their tables and the results of each dbt run are then in HOME, which must
not be there before.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from story import queries
from story.dashboard import Answer, Reads
from story.project import OURS, STOCK, Adapter, Project, Run, copied
from story.terminal import DemoError, say, say_table, seconds, stage

MODEL = "carrier_on_time_ranking"
MODEL_FILE = f"models/marts/reports/{MODEL}.sql"
DASHBOARDS_TABLES = ("--select", "+exposure:on_time_report")
READERS_QUERY = queries.DASHBOARD[MODEL]
BECAUSE = "broken on purpose"
# What an edit writes before and after the model. The broken one fails in the middle of its job,
# when it comes to one of the rows; the slow one would write for minutes.
BROKEN = ("", f"where if(by_carrier.carrier = 'WN', raise_error('{BECAUSE}'), true)")
SLOW = ("select ranking.* from (", ") as ranking cross join range(50000000)")
WRONG = ("", "where by_carrier.flights > 20000")
TABLE_BUILT = re.compile(r"OK created sql (?:atomic_)?table model \w+\.(\w+) .*\[(.*)\]")
PRELUDE = re.compile(r"Running with|Registered|Found \d|Concurrency|.* adapter: Starting|.* hook: ")


def main() -> None:
    """Tell it."""
    example, home = (Path(argument).absolute() for argument in sys.argv[1:])
    _load(example, home / "data")
    with _copied(example, home, STOCK) as stock:
        stocks_reads = _built_twice(stock)
    with _copied(example, home, OURS) as ours:
        our_reads = _built_twice(ours)
        _compare(stocks_reads, our_reads)
        _show_what_it_finds(ours)
        _break(ours)
        _interrupt(ours)
        _roll_back(ours)
    stage(f"Done in {seconds()} seconds, without the installation")
    say(f"{home}/stock and {home}/ours are the projects with their tables.")
    say(f"{home}/results has run_results.json and the terminal's lines of each dbt command.")


def _load(example: Path, data: Path) -> None:
    stage("Every flight that left New York City in 2013, and the weather there, as Parquet files")
    os.environ["NYCFLIGHTS_DATA"] = str(data)
    loaded = subprocess.run(  # noqa: S603
        [sys.executable, example / "load.py"], capture_output=True, text=True, check=True
    )
    for line in loaded.stdout.splitlines():
        say(line)


@contextmanager
def _copied(example: Path, home: Path, adapter: Adapter) -> Iterator[Project]:
    what = f"type: {adapter.type}, materialized: {adapter.materialized}"
    stage(f"A copy of examples/{example.name} with {what}")
    with copied(example, home, adapter) as project:
        say("A Hive metastore server on loopback, from PySpark's jars, serves dbt and its readers.")
        say(f"The dashboard is process {project.dashboard.pid}, with a Spark session of its own.")
        yield project


def _built_twice(project: Project) -> Reads:
    stage("dbt build of what the dashboard needs, without tests: every table is new")
    first = ["build", *DASHBOARDS_TABLES, "--exclude-resource-type", "test", "unit_test"]
    _succeeded(project.dbt("first-build", *first, hear=_hear_the_end))
    stage("dbt run: the tables are built again, while the dashboard reads four of them in turn")
    with project.dashboard.reading(tuple(queries.DASHBOARD.values())) as reads:
        _succeeded(project.dbt("second-build", "run", *DASHBOARDS_TABLES, hear=_hear_tables))
    say(f"{reads.failed} of {reads.count} reads failed.")
    if reads.first_failure:
        say(f"The first: {reads.first_failure}")
    return reads


def _succeeded(run: Run) -> None:
    if run.code:
        raise DemoError(f"dbt failed; all it said is in {run.kept}/terminal.log")


def _hear_the_end(line: str) -> None:
    if line.startswith("Done."):
        say(line)


def _hear_tables(line: str) -> None:
    if built := TABLE_BUILT.search(line):
        say(f"{built[1]:<32}{built[2]}")


def _compare(stock: Reads, ours: Reads) -> None:
    stage("Side by side: the same models, data, dashboard and machine, one after the other")
    rows = [
        (name, str(reads.count), str(reads.failed), str(reads.different))
        for name, reads in (("dbt-spark", stock), ("dbt-ctas-spark", ours))
    ]
    say_table(("dbt run with", "reads", "failed", "other rows"), rows)
    if ours.failed or ours.different:
        raise DemoError("readers noticed the build")


def _show_what_it_finds(ours: Project) -> None:
    stage("Some of what the example finds")
    for title, query in queries.FINDINGS.items():
        answer = ours.dashboard.ask(query)
        say(title)
        say_table(answer.columns, answer.rows)
        say("")


def _break(ours: Project) -> None:
    stage(f"dbt run of {MODEL}, broken so that it fails in the middle of its Spark job")
    before = ours.dashboard.ask(READERS_QUERY)
    with _edited(ours, BROKEN):
        run = ours.dbt("broken-model", "run", "--select", MODEL)
    if not run.code or BECAUSE not in "\n".join(run.lines):
        raise DemoError(f"dbt run did not fail as it had to; it said: {run.kept}/terminal.log")
    _show(run)
    _is_as_before(ours, before)


def _interrupt(ours: Project) -> None:
    stage(f"dbt run of {MODEL}, and Ctrl-C while its Spark job writes")
    before = ours.dashboard.ask(READERS_QUERY)
    with _edited(ours, SLOW), ours.running("run", "--select", MODEL) as process:
        ours.wait_until_writing(process)
        os.killpg(process.pid, signal.SIGINT)
        run = ours.finished(process, "ctrl-c")
    if not run.code or not any(line.startswith("CANCEL") for line in run.lines):
        raise DemoError(f"dbt run was not cancelled; it said: {run.kept}/terminal.log")
    _show(run)
    _is_as_before(ours, before)


def _roll_back(ours: Project) -> None:
    stage("dbt run with a mistake that nothing catches: it leaves carriers out")
    before = ours.dashboard.ask(READERS_QUERY)
    with _edited(ours, WRONG):
        run = ours.dbt("mistake", "run", "--select", MODEL)
    _succeeded(run)
    _show(run)
    wrong = ours.dashboard.ask(READERS_QUERY)
    if wrong == before:
        raise DemoError("the mistake was not published")
    say(f"The dashboard gets {len(wrong.rows)} carriers now.")
    for operation in ("ctas_history", "ctas_rollback"):
        stage(f"dbt run-operation {operation}")
        run = ours.dbt(operation, "run-operation", operation, "--args", f"{{model: {MODEL}}}")
        _succeeded(run)
        _show(run)
    _is_as_before(ours, before)


@contextmanager
def _edited(project: Project, edit: tuple[str, str]) -> Iterator[None]:
    file = project.directory / MODEL_FILE
    text = file.read_text()
    file.write_text(f"{edit[0]}\n{text}{edit[1]}\n")
    try:
        yield
    finally:
        file.write_text(text)


def _show(run: Run) -> None:
    """What dbt said after its first lines, which are the same in every run."""
    begin = max(number for number, line in enumerate(run.lines) if PRELUDE.match(line)) + 1
    for line in filter(None, run.lines[begin:]):
        say(line)


def _is_as_before(project: Project, before: Answer) -> None:
    if project.dashboard.ask(READERS_QUERY) != before:
        raise DemoError("the dashboard does not get what it got before")
    say(f"The dashboard gets what it got before: {len(before.rows)} carriers, row for row.")


if __name__ == "__main__":
    try:
        main()
    except DemoError as error:
        sys.exit(f"FAILED: {error}")
    except KeyboardInterrupt:
        sys.exit("Stopped.")
