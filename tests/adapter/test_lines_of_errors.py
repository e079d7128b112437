"""The line of an SQL error: of the user's file where that shows, and of the compiled one."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.ctas_spark.lines_of_errors import located

CONFIG = """{{
  config(materialized='table')
}}

"""
RAW = f"""{CONFIG}select
  id,
  amuont
from {{{{ ref('orders') }}}}
where id > 0"""
COMPILED = """

select
  id,
  amuont
from shop.orders
where id > 0"""
IN_FRONT = "/* dbt's comment */\n\n    CREATE TABLE shop.x\nUSING parquet\nAS\n"
FILE = "models/x.sql"
TARGET = "target/compiled/shop/models/x.sql"


@pytest.fixture
def project(tmp_path: Path) -> Any:
    """What dbt knows of a project, on disk."""
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / TARGET).parent.mkdir(parents=True)
    return SimpleNamespace(project_root=str(tmp_path))


def model(project: Any, raw: str = RAW, compiled: str = COMPILED, file: str = "") -> Any:
    """A model that was compiled; ``file`` is its file if that is more than ``raw``."""
    Path(project.project_root, FILE).write_text(file or raw)
    Path(project.project_root, TARGET).write_text(compiled)
    return SimpleNamespace(
        raw_code=raw, compiled_code=compiled, original_file_path=FILE, compiled_path=TARGET
    )


def said(project: Any, node: Any, line: int, words: str = "line {} pos 2") -> str:
    """What an error says if Spark counts to the ``line`` of the compiled code."""
    sql = f"{IN_FRONT}{node.compiled_code})"
    return located(words.format(IN_FRONT.count("\n") + line), sql, node, project)


@pytest.mark.parametrize(("line", "own"), [(5, 7), (6, 8), (7, 9)])
def test_a_line_is_one_of_the_users_file(project: Any, line: int, own: int) -> None:
    """Whether its own text was compiled or not, and however long the config is."""
    assert said(project, model(project), line) == (
        f"line {own} pos 2\n  at: line {own} of {FILE}, compiled to line {line} of {TARGET}"
    )


def test_dbt_leaves_out_a_files_first_empty_lines(project: Any) -> None:
    """They count in the user's editor."""
    found = said(project, model(project, file=f"\n\n{RAW}\n"), 5)
    assert found.startswith(f"line 9 pos 2\n  at: line 9 of {FILE}")


@pytest.mark.parametrize("words", ["(line {}, pos 2)", "== SQL (line {}, position 3) =="])
def test_a_parsers_line_is_found_as_well(project: Any, words: str) -> None:
    """Spark writes a line in more than one way."""
    assert said(project, model(project), 5, words).startswith(words.format(7))


def test_dbt_shows_more_than_the_compiled_file(project: Any) -> None:
    """For ``dbt show`` the node's code gets a limit; the file has what the user wrote."""
    node = model(project)
    node.compiled_code = f"\n  {COMPILED}\n  limit 5"
    found = located("line 9 pos 2", f"/* dbt's comment */\n\n  {node.compiled_code}", node, project)
    assert found == f"line 8 pos 2\n  at: line 8 of {FILE}, compiled to line 6 of {TARGET}"


def test_a_line_that_a_loop_wrote_is_one_of_the_compiled_file(project: Any) -> None:
    """Nobody can say which line of the user's file that is."""
    raw = "select\n{% for n in [1, 2, 3] %}\n  {{ n }} as n{{ n }},\n{% endfor %}\n  m"
    compiled = "select\n\n  1 as n1,\n\n  2 as n2,\n\n  3 as n3,\n\n  m"
    found = said(project, model(project, raw, compiled), 5)
    assert found == f"line 5 pos 2\n  at: line 5 of {TARGET}"


def test_a_file_of_another_place_is_not_taken_for_the_users(project: Any) -> None:
    """A package's model has a path inside the package."""
    found = said(project, model(project, file="select 1"), 5)
    assert found == f"line 5 pos 2\n  at: line 5 of {TARGET}"


def test_a_line_in_front_of_the_models_own_code_stays(project: Any) -> None:
    """Such as that of a partition column; and so does a message without any line."""
    assert said(project, model(project), -1) == f"line {IN_FRONT.count(chr(10)) - 1} pos 2"
    assert located("no line", "select 1", None, None) == "no line"
