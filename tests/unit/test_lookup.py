"""How a relation is found by its name, without Spark."""

from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError
from pyspark.sql import Row

from dbt.adapters.ctas_spark.lookup import LookupAdapter
from dbt.adapters.ctas_spark.relation import CtasSparkRelation


class Catalog:
    """A catalog with these tables, which ``ignores_case`` or does not."""

    Relation = CtasSparkRelation
    config = SimpleNamespace(quoting={"database": True, "schema": False, "identifier": False})
    describe, _rows = LookupAdapter.describe, LookupAdapter._rows  # noqa: SLF001 (the code under test)
    _named = LookupAdapter._named  # noqa: SLF001 (as above)

    def __init__(self, *tables: str, ignores_case: bool) -> None:
        self.tables = tables
        self.ignores_case = ignores_case

    def execute_macro(self, _name: str, kwargs: dict[str, str]) -> list[object]:
        asked = kwargs["table_name"].rpartition(".")[2]
        known = map(str.lower, self.tables) if self.ignores_case else self.tables
        if (asked.lower() if self.ignores_case else asked) not in [*known]:
            raise DbtRuntimeError("[TABLE_OR_VIEW_NOT_FOUND] no")
        return [("id", "int", "")]

    def find(self, identifier: str) -> str | None:
        """The name of what is found."""
        there: list[Any] = [CtasSparkRelation.create("ice", "shop", one) for one in self.tables]
        this: Any = self
        found = LookupAdapter._make_match(this, there, "ice", "shop", identifier)  # noqa: SLF001
        assert len(found) < 2
        return found[0].identifier if found else None


@pytest.mark.parametrize(
    ("tables", "ignores_case", "found"),
    [
        (["Orders", "orders"], False, "Orders"),
        (["orders"], True, "orders"),
        (["orders"], False, None),
        (["others"], True, None),
    ],
)
def test_a_catalog_says_itself_whether_it_ignores_upper_case(
    tables: list[str],
    ignores_case: bool,  # noqa: FBT001 (a case)
    found: str | None,
) -> None:
    """Hive's metastore stores lower case; the second run finds what the first has made."""
    assert Catalog(*tables, ignores_case=ignores_case).find("Orders") == found


def test_a_relation_has_the_format_that_describe_says() -> None:
    """Neither what dbt has cached of a table that was just made, nor a column of that name."""
    row = Row("col_name", "data_type", "comment")
    heading = row("# Detailed Table Information", "", "")
    rows = [row("Provider", "int", ""), heading, row("Provider", "delta", "")]
    adapter: Any = SimpleNamespace(describe=lambda _relation: rows)
    made = CtasSparkRelation.create(schema="shop", identifier="orders")
    found = LookupAdapter.as_described(adapter, made)
    assert (found.is_delta, found.is_iceberg) == (True, False)
    rows[2:] = []
    assert not LookupAdapter.as_described(adapter, made).is_delta
