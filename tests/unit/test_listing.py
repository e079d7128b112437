"""How the tables of a schema are listed, without Spark."""

from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ctas_spark.any_catalog import LISTINGS, AnyCatalogAdapter

GONE = "[TABLE_OR_VIEW_NOT_FOUND] The table or view `shop`.`t` cannot be found."


def listed(*answers: str) -> Any:
    """What becomes of a listing whose attempts fail so, one after the other; then one succeeds."""
    left = list(answers)

    def execute_macro(_name: str, **_arguments: object) -> list[str]:
        if left:
            raise DbtRuntimeError(left.pop(0))
        return ["orders"]

    on_a_server = SimpleNamespace(handle=SimpleNamespace(spark=object()))
    adapter: Any = SimpleNamespace(
        connections=SimpleNamespace(get_thread_connection=lambda: on_a_server),
        execute_macro=execute_macro,
        _build_spark_relation_list=lambda rows, _information: rows,
        _get_relation_information=None,
    )
    schema: Any = SimpleNamespace(schema="shop")
    return AnyCatalogAdapter._listed(adapter, schema)  # noqa: SLF001 (its own rule)


def test_a_table_that_is_dropped_meanwhile_does_not_empty_the_schema() -> None:
    """Snapshots and incremental models would begin anew."""
    assert listed() == ["orders"]
    assert listed(GONE, GONE) == ["orders"]


def test_a_schema_that_is_not_there_has_no_tables() -> None:
    """The only failure that means so."""
    assert listed("[SCHEMA_NOT_FOUND] The schema `shop` cannot be found.") == []


@pytest.mark.parametrize("answers", [[GONE] * LISTINGS, ["the metastore is away"]])
def test_any_other_listing_that_fails_is_an_error(answers: list[str]) -> None:
    """What can't be found out is never "absent"."""
    with pytest.raises(DbtRuntimeError, match=r"away|NOT_FOUND"):
        listed(*answers)


def test_a_comment_with_the_words_of_a_format_is_only_a_comment() -> None:
    """The lines of what Spark says count, and not words in them."""

    class Adapter(AnyCatalogAdapter):
        config: Any = SimpleNamespace(quoting={})

        def __init__(self) -> None:
            """No profile."""

    said = "Type: EXTERNAL\nProvider: parquet\nComment: Data Provider: delta air; Type: VIEW here\n"
    rows = [("shop", "flights", said), ("shop", "events", "Type: MANAGED\nProvider: delta\n")]
    found: list[Any] = Adapter()._build_spark_relation_list(rows, lambda row: row)  # noqa: SLF001
    flights, events = found
    assert (flights.is_delta, flights.is_view) == (False, False)
    assert events.is_delta
