"""What a run-operation prints on the terminal, from its first line to its last."""

import re
from pathlib import Path

import pytest

from functional.dbt_project import Project
from readers.session import SMALL

MODELS = {
    "models/orders.sql": "{{ config(materialized='atomic_table', grace_period=0) }} "
    "select id from range({{ var('rows', 1) }})",
    "models/wrong.sql": "{{ config(materialized='table', grace_period=var('grace', 5)) }} "
    "select 1 as n",
    "models/looked_at.sql": "select 1 as n",
}
START = re.compile(r"\d\d:\d\d:\d\d  (Running with|Registered|Unable to do partial|Found|$)")
NO_MORE = "from now on, none is made automatically"
FAILED = "[ERROR]: Encountered an error while running operation: Runtime Error\n  "
GRACE = "grace_period: '1h' is not a number of seconds"
COLUMNS = 100
EVENTS = "| table | version | time | state | rows | size |\n| - | - | - | - | - | - |\n"


class Terminal:
    """A project, and what dbt prints of it where a user looks, in 100 columns."""

    def __init__(self, project: Project, capsys: pytest.CaptureFixture[str]) -> None:
        self.project = project
        self._capsys = capsys

    def said(self, name: str, arguments: str = "", *, succeeds: bool, **variables: object) -> str:
        """All lines after dbt's first ones, without times and the widths of columns."""
        self._capsys.readouterr()
        given = [f"--args={arguments}"] if arguments else []
        done = self.project.dbt("run-operation", name, *given, **variables)
        printed = self._capsys.readouterr()
        assert (done.success, printed.err) == (succeeds, ""), printed
        tables = [line for line in printed.out.splitlines() if line.startswith("|")]
        assert max(map(len, tables), default=0) <= COLUMNS, tables
        lines = [line for line in printed.out.splitlines() if not START.match(line)]
        text = "\n".join([*lines, ""]).replace(self.project.schema, "shop")
        text = re.sub(r"^\d\d:\d\d:\d\d  ", "", text, flags=re.MULTILINE)
        return re.sub(r"-{2,}(?= \|)", "-", re.sub(r" +\|", " |", text))


@pytest.fixture
def parsed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """A project whose metastore nobody asks."""
    project = Project(tmp_path, "shop", SMALL)
    project.write(MODELS)
    return Terminal(project, capsys)


@pytest.fixture
def terminal(project: Project, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """A project with a metastore, after Spark has started."""
    project.write(MODELS)
    assert project.dbt("debug").success
    return Terminal(project, capsys)


def test_wrong_arguments_are_named_before_spark_starts(parsed: Terminal) -> None:
    """Unknown, missing, of another type: each is named, with a call that works."""
    said = parsed.said("ctas_history", "{modle: orders}", succeeds=False)
    wrong = "modle: unknown (it takes model, schema, json)"
    assert said == _invalid("ctas_history", wrong)

    said = parsed.said("ctas_rollback", succeeds=False)
    assert said == _invalid("ctas_rollback", "model: missing")

    said = parsed.said("ctas_rollback", "{model: orders, version: 7}", succeeds=False)
    wrong = "version: 7 is not the id of a version, such as 20260101t120000x0a1b2c3d"
    assert said == _invalid("ctas_rollback", wrong)

    said = parsed.said("ctas_vacuum", "{older_than: 1h, dry_run: 'false'}", succeeds=False)
    first = "older_than: '1h' is not a number of seconds, such as 3600"
    assert said == _invalid("ctas_vacuum", f"{first}; dry_run: 'false' is not true or false")

    said = parsed.said("ctas_recover", "{model: [orders]}", succeeds=False)
    assert said == _invalid("ctas_recover", "model: ['orders'] is not the name of a model")


def test_models_that_are_not_published_are_named_before_spark_starts(parsed: Terminal) -> None:
    """With the nearest names that would do, three at most."""
    table = MODELS["models/orders.sql"]
    parsed.project.write({f"models/orders_{number}.sql": table for number in range(5)})
    said = parsed.said("ctas_history", "{model: order}", succeeds=False)
    assert said == _none("model order", "the nearest models are: orders, orders_4, orders_3")
    said = parsed.said("ctas_rollback", "{model: looked_at}", succeeds=False)
    assert said == _none("model looked_at", "dbt ls lists the nodes of the project")
    said = parsed.said("ctas_recover", "{model: wrong}", succeeds=False, grace="1h")
    wrong = FAILED.replace("Runtime", "Compilation")
    assert said == (
        f"{wrong}[INVALID_CONFIGURATION] 1 configuration error in model.tested.wrong; "
        f"no job was started:\n    - {GRACE}\n"
    )


def test_the_help_needs_no_spark(parsed: Terminal) -> None:
    """It is one table, and a call of each operation."""
    said = parsed.said("ctas_help", succeeds=True).splitlines()
    assert said[0] == "dbt run-operation OPERATION --args '{ARGUMENT: VALUE, ...}'"
    assert said[2] == "| operation | argument | meaning |"
    assert "| | fence: true | also what a paused writer could still publish |" in said
    assert said[-1] == "dbt run-operation ctas_warm_spark"


def test_an_archive_of_classes_is_removed(
    parsed: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``./check`` makes one with the same operation, and its tests start Spark with it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    said = parsed.said("ctas_archive_classes", "{remove: true}", succeeds=True)
    assert (
        said == "removed: nothing, there was no archive; from now on, none is made automatically\n"
    )
    archive = tmp_path / "dbt-ctas-spark" / "spark-4.1.4-0a1b.jsa"
    archive.touch()
    said = parsed.said("ctas_archive_classes", "{remove: true}", succeeds=True)
    assert said == f"removed: {archive}; {NO_MORE}\n"
    said = parsed.said("ctas_archive_classes", "{remove: 'no'}", succeeds=False)
    wrong = "remove: 'no' is not true or false"
    assert said == _invalid("ctas_archive_classes", wrong, "{remove: true}")


def test_what_was_published_is_listed_and_rolled_back(terminal: Terminal) -> None:
    """Without a model all publications, by time; a rollback has a row of its own."""
    said = terminal.said("ctas_history", succeeds=True)
    assert said == "ctas_history found nothing; it looked at shop.orders, shop.wrong\n"
    misspelt = (
        f"{{schema: {terminal.project.schema}p}}"  # it may hold what no model builds any more
    )
    said = terminal.said("ctas_vacuum", misspelt, succeeds=False)
    assert said == _none("schema shopp", "the nearest schemas are: shop")
    said = terminal.said("ctas_rollback", "{model: orders}", succeeds=False)
    assert said == (
        f"{FAILED}[NO_SUCH_VERSION] the table shows no version that this adapter published, and "
        f"has no earlier one\n    table: shop.orders\n    left: it is unchanged\n"
        "    to do: build the model twice to have one; an incremental model that adds rows in "
        "place publishes a version with --full-refresh, or each time with atomicity: isolated\n"
    )
    versions = [
        terminal.project.dbt("run", f"--select={model}", rows=rows).response(model)["version"]
        for model, rows in (("wrong", 1), ("orders", 1), ("orders", 2000))
    ]
    (wrong, old, new) = versions
    listed = terminal.said("ctas_history", succeeds=True)
    assert _head(listed) == EVENTS
    rows = _rows(listed)
    assert sorted(row[:2] for row in rows) == sorted(
        [["shop.orders", new], ["shop.orders", old], ["shop.wrong", wrong]]
    )
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)

    said = terminal.said("ctas_recover", succeeds=True)
    assert said == "ctas_recover found nothing; it looked at shop.orders, shop.wrong\n"
    said = terminal.said("ctas_rollback", "{model: orders, version: v9}", succeeds=False)
    assert said == (
        f"{FAILED}[NO_SUCH_VERSION] there is no earlier version v9 to go back to\n"
        "    table: shop.orders\n    left: it is unchanged\n"
        f"    to do: choose one of its kept versions: {old}\n"
    )
    said = terminal.said("ctas_rollback", "{model: orders}", succeeds=True)
    assert said == (
        "| table | version | replaced | atomicity |\n| - | - | - | - |\n"
        f"| shop.orders | {old} | {new} | isolated |\n"
    )
    said = terminal.said("ctas_history", "{model: orders}", succeeds=True)
    assert _head(said).startswith("| version | time | kind | state | rows | size |\n")
    rows = _rows(said)
    assert [[row[0], *row[2:5]] for row in rows] == [
        [old, "rollback", "live", "1"],
        [new, "build", "kept", "2,000"],
        [old, "build", "kept", "1"],
    ]
    assert all(re.fullmatch(r"\d+ B|\d+\.\d KB", row[5]) for row in rows), rows
    said = terminal.said("ctas_history", succeeds=True)
    assert said.endswith("\n*: published by a rollback\n")
    assert [row[3] for row in _rows(said) if row[0] == "shop.orders"] == ["live *", "kept", "kept"]
    _is_a_row(terminal, old, new)


def _is_a_row(terminal: Terminal, live: str, kept: str) -> None:
    """A model's wrong config is one line, with a warning; the others are looked after."""
    what = "[INVALID_CONFIGURATION] 1 configuration error in model.tested.wrong; no job was "
    warning = f"CtasSpark adapter: shop.wrong: {what}started:\n  - {GRACE}\n"
    said = terminal.said("ctas_vacuum", succeeds=False, grace="1h")
    assert said == (
        f"{warning}| table | version | state |\n| - | - | - |\n"
        f"| shop.orders | {live} | kept: it is the table |\n"
        f"| shop.orders | {kept} | kept: a rollback can return to it |\n"
        f"shop.wrong failed: [INVALID_CONFIGURATION] {GRACE}\n{_incomplete('ctas_vacuum')}"
    )
    said = terminal.said("ctas_recover", succeeds=False, grace="1h")
    failed = f"shop.wrong failed: [INVALID_CONFIGURATION] {GRACE}\n"
    assert said == f"{warning}{failed}{_incomplete('ctas_recover')}"


def _incomplete(operation: str) -> str:
    return (
        f"{FAILED}[OPERATION_INCOMPLETE] {operation} failed for shop.wrong\n"
        "    left: everything else that was asked for is done\n"
        "    to do: see what is printed for each, then run it again\n"
    )


def _invalid(operation: str, problems: str, example: str = "{model: orders}") -> str:
    call = f"dbt run-operation {operation} --args '{example}'"
    return (
        f"{FAILED}[INVALID_ARGUMENT] {operation} can't be run: {problems}\n"
        "    left: nothing was done\n"
        f"    to do: write it like {call}; dbt run-operation ctas_help explains all arguments\n"
    )


def _none(asked: str, nearest: str) -> str:
    return (
        f"{FAILED}[NO_SUCH_MODEL] no table is published for {asked}\n"
        "    left: nothing was done\n"
        "    to do: only seeds, snapshots and models with materialized: atomic_table, table or "
        f"incremental have one; {nearest}\n"
    )


def _head(table: str) -> str:
    return "".join(table.splitlines(keepends=True)[:2])


def _rows(table: str) -> list[list[str]]:
    """The cells of a table without those of its head."""
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
