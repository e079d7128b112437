"""What a preview is asked for, and what it tells."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctas_spark.errors import InvalidArgumentError
from dbt.adapters.ctas_spark.preview import (
    Previewed,
    PreviewSettings,
    note_invocation,
    summary,
    was_preview,
)


@pytest.mark.parametrize(
    ("variables", "environment", "expected"),
    [
        ({}, {}, PreviewSettings()),
        ({"ctas_preview": False, "ctas_preview_limit": 3}, {}, PreviewSettings()),
        ({"ctas_preview": True}, {}, PreviewSettings(enabled=True)),
        ({}, {"CTAS_PREVIEW": "1"}, PreviewSettings(enabled=True)),
        ({"ctas_preview": "false"}, {"CTAS_PREVIEW": "true"}, PreviewSettings()),
        (
            {"ctas_preview_rows": "true"},
            {"CTAS_PREVIEW": "TRUE", "CTAS_PREVIEW_LIMIT": "20"},
            PreviewSettings(enabled=True, rows=True, limit=20),
        ),
    ],
)
def test_variables_win_over_the_environment(
    variables: dict[str, Any], environment: dict[str, str], expected: PreviewSettings
) -> None:
    """Without either, an invocation is a build."""
    assert PreviewSettings.read(variables, environment) == expected


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"ctas_preview": "yes"}, "'yes' is neither true nor false"),
        ({"ctas_preview": True, "ctas_preview_rows": 5}, "5 is neither true nor false"),
        ({"ctas_preview": True, "ctas_preview_limit": 0}, "0 is not a number of rows"),
        ({"ctas_preview": True, "ctas_preview_limit": "many"}, "'many' is not a number of rows"),
        ({"ctas_preview": True, "ctas_preview_limit": True}, "True is not a number of rows"),
        ({"ctas_prevew": True}, "ctas_prevew: unknown; did you mean ctas_preview?"),
        ({"ctas_preview_rows": True}, "only with ctas_preview: true"),
    ],
)
def test_what_can_not_be_followed_is_no_build(variables: dict[str, Any], problem: str) -> None:
    """A typing error must not write tables."""
    with pytest.raises(InvalidArgumentError, match=problem.replace("?", r"\?")):
        PreviewSettings.read(variables, {})


def node(name: str, before: dict[str, str] | None, after: dict[str, str]) -> Previewed:
    """A node in the schema ``shop``."""
    return Previewed(name, f"shop.{name}", before, after)


def test_columns_are_compared_without_case_and_order() -> None:
    """Those of a new table do not change."""
    before = {"id": "int", "Name": "string", "old": "date"}
    after = {"name": "string", "id": "bigint", "more": "int"}
    assert node("orders", before, after).changes == [
        "+ more int",
        "- old date",
        "id: int -> bigint",
    ]
    assert node("orders", None, after).changes == []


def test_the_summary_names_tables_that_change_and_new_ones() -> None:
    """And counts those that keep their columns."""
    told = summary(
        [
            node("orders", {"id": "int"}, {"id": "bigint"}),
            node("same", {"id": "int"}, {"ID": "int"}),
            node("added", None, {"id": "int"}),
        ]
    )
    assert told == (
        "Preview: 3 nodes became temporary views, and nothing was written.\n"
        "Tables and views whose columns would change:\n"
        "| model  | table       | changes           |\n"
        "| ------ | ----------- | ----------------- |\n"
        "| orders | shop.orders | id: int -> bigint |\n"
        "Tables and views that would be created: shop.added\n"
        "Tables and views that would keep their columns: 1"
    )


def test_the_response_says_preview() -> None:
    """With the number of rows, if it was asked for."""
    previewed = Previewed("a", "shop.a", {"id": "int"}, {"id": "bigint"}, rows=1200)
    assert str(previewed.response()) == "preview, 1,200 rows"
    assert previewed.response().schema_changes == ["id: int -> bigint"]
    assert str(node("a", None, {}).response()) == "preview"


def test_the_results_of_a_preview_are_known_as_such(tmp_path: Path) -> None:
    """By its variables, or by its id where the environment asked for it."""

    def write(invocation: str, **variables: object) -> None:
        results = {"metadata": {"invocation_id": invocation}, "args": {"vars": variables}}
        (tmp_path / "run_results.json").write_text(json.dumps(results))

    assert not was_preview(tmp_path)
    write("one", ctas_preview=True)
    assert was_preview(tmp_path)
    write("two")
    assert not was_preview(tmp_path)
    note_invocation(tmp_path, "two")
    assert was_preview(tmp_path)
    write("three", ctas_preview=False)
    assert not was_preview(tmp_path)
