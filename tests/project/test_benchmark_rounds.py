"""How the benchmarks take turns, what they keep, and what they make of a competitor that fails."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from servers.jars import Jar
from side_by_side import environments, rounds, tools
from side_by_side.cases import Build, Case, Sample, Times
from side_by_side.competitors import Competitor
from side_by_side.record import Record
from side_by_side.rounds import Plan, run_rounds
from side_by_side.summary import table
from side_by_side.targets import reached


@pytest.fixture(autouse=True)
def _on_an_idle_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "settled", lambda: 0.0)


class Tool:
    """Builds by a program of Python, and reports a second to its first node."""

    def __init__(self, program: str = "") -> None:
        self._program = program

    def write(self, case: Case, directory: Path) -> None:
        (directory / "project").write_text(case.name)

    def add_tests(self, case: Case, directory: Path) -> None:
        (directory / "tests").write_text(case.name)

    def command(self, build: Build) -> Sequence[str]:
        return (sys.executable, "-c", self._program, build.value)

    def times(self, directory: Path, began: float, seconds: float) -> Times:
        assert (directory / "project").exists()
        return Times(seconds, 1.0, began)


def planned(rounds: int, **competing: Tool) -> Plan:
    """One case, a first build and a rebuild of each tool."""
    competitors = [Competitor(name, tool) for name, tool in competing.items()]
    return Plan([Case("2 models", models=2)], competitors, [Build.FIRST, Build.REBUILD], rounds)


def run(plan: Plan, done: Sequence[Sample] = ()) -> list[Sample]:
    """The builds that are measured."""
    kept: list[Sample] = []
    run_rounds(plan, done, kept.append)
    return kept


def test_competitors_take_turns_in_one_order_and_then_in_the_other() -> None:
    """What the machine does meanwhile meets each of them; each builds twice in a row."""
    builds = run(planned(2, first=Tool(), second=Tool()))
    turns = [(one.round, one.competitor) for one in builds[::2]]
    assert turns == [(0, "first"), (0, "second"), (1, "second"), (1, "first")]
    assert [one.build for one in builds[:2]] == ["first build", "rebuild"]


def test_a_competitor_that_fails_is_reported_and_left_out() -> None:
    """The others go on; its last words are kept."""
    builds = run(planned(2, broken=Tool("import sys; sys.exit('no such server')"), good=Tool()))
    (broken,) = (one for one in builds if one.competitor == "broken")
    assert broken.failed == "it ended with 1: no such server"
    assert sum(one.competitor == "good" for one in builds) == 4


def test_a_competitor_without_its_report_is_left_out() -> None:
    """What ends well, and does not say how long it took, is a failure too."""

    class Silent(Tool):
        def times(self, directory: Path, began: float, seconds: float) -> Times:
            raise FileNotFoundError(f"{directory}: {seconds} s since {began}")

    builds = run(planned(1, silent=Silent(), good=Tool()))
    assert [(one.competitor, bool(one.failed)) for one in builds] == [
        ("silent", True),
        ("good", False),
        ("good", False),
    ]


def test_the_spark_of_a_competitor_with_a_jar_finds_its_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Behind Spark's own on Java's class path, so that an archive still fits; others have none."""
    monkeypatch.setattr(rounds, "fetched", lambda jar: Path("/jars") / jar.file)
    monkeypatch.delenv(rounds.CLASSES_VARIABLE, raising=False)
    tool = Tool(f"import os, sys; sys.exit(os.environ.get('{rounds.CLASSES_VARIABLE}', 'none'))")
    jar = Jar("group", "artifact", "1", "0")
    competitors = [Competitor("with", tool, jar=jar), Competitor("without", tool)]
    builds = run(Plan([Case("2 models", models=2)], competitors, [Build.FIRST], 1))
    found = [str(one.failed).rpartition(" ")[2] for one in builds]
    assert found == ["/jars/artifact-1.jar", "none"]


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """A project of which a build is missing is built anew, and nothing else twice."""
    plan = planned(1, first=Tool(), second=Tool())
    record = Record(tmp_path / "kept.json", "small", plan, {})
    for sample in run(plan)[:3]:
        record.keep(sample)
    again = Record(tmp_path / "kept.json", "small", plan, {})
    again.resume(["first build", "rebuild"])
    assert [one.competitor for one in again.samples] == ["first", "first"]
    assert [one.competitor for one in run(plan, again.samples)] == ["second", "second"]


def test_figures_of_another_plan_are_not_continued(tmp_path: Path) -> None:
    """A file holds figures of one plan, on one machine, of one set of versions."""
    plan = planned(1, first=Tool())
    Record(tmp_path / "kept.json", "small", plan, {}).keep(run(plan)[0])
    other = Record(tmp_path / "kept.json", "small", planned(2, first=Tool()), {})
    with pytest.raises(ValueError, match="of another plan"):
        other.resume(["first build"])


def test_a_table_has_medians_and_ratios_to_dbt_spark() -> None:
    """Of each case, build and competitor."""
    builds = [
        Sample(number, "2 models", name, "rebuild", 0.0, seconds)
        for name, times in {"dbt-spark": (4, 9, 5), "ctas_spark": (1, 2, 30)}.items()
        for number, seconds in enumerate(times)
    ]
    lines = table(builds).splitlines()[2:]
    assert lines == [
        "| 2 models | rebuild | ctas_spark | 2.0 | 1.0 | 30.0 | 0.40 |  |  |",
        "| 2 models | rebuild | dbt-spark | 5.0 | 4.0 | 9.0 | 1.00 |  |  |",
    ]


def test_each_target_is_compared_with_what_was_measured() -> None:
    """A figure at the limit reaches it, one above does not."""
    rows = [
        {"round": 0, "case": "100 models", "build": "rebuild", "competitor": name, "seconds": s}
        for name, s in {"ctas_spark": 9.0, "ctas_spark, archive": 7.6, "dbt-spark": 10.0}.items()
    ]
    found = reached({"benchmark-small": {"samples": rows}})
    assert [(one.limit, one.is_reached) for one in found] == [(0.9, True), (0.75, False)]


def test_every_query_of_tpch_names_files_of_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The 22 models need no source that a project would have to declare."""
    tables = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")

    class Directory:
        def glob(self, _: str) -> list[Path]:
            return [Path(f"/data/{table}.parquet") for table in tables]

    monkeypatch.setattr(environments, "tpch_tables", lambda _: Directory())
    queries = tools.queries(Case("1 GB", scale=1), tools.IN_SPARK)
    assert [*queries] == [f"q{number:02}" for number in range(1, 23)]
    assert all("parquet.`/data/" in query and "{" not in query for query in queries.values())
