"""A schema that two runs create at the same moment."""

from typing import Any

import pytest
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

SHOP: Any = CtasSparkRelation.create(schema="shop", identifier="")


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> CtasSparkAdapter:
    """One whose statement fails, as Hive 4 fails the second of two."""

    def lose(*_: object) -> None:
        raise DbtDatabaseError("duplicate key")

    monkeypatch.setattr(SparkAdapter, "create_schema", lose)
    return object.__new__(CtasSparkAdapter)


def test_a_schema_that_another_run_has_made_meanwhile_is_there(
    adapter: CtasSparkAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IF NOT EXISTS looks, and then creates."""
    monkeypatch.setattr(CtasSparkAdapter, "check_schema_exists", lambda *_: True)
    adapter.create_schema(SHOP)


def test_the_first_error_is_shown_where_the_second_look_fails_too(
    adapter: CtasSparkAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema's own words, and not those of a listing."""

    def fail(*_: object) -> bool:
        raise DbtDatabaseError("no listing")

    class Relations:
        def schema_of(self, _relation: object) -> str:
            return ""

    class Parts:
        relations = Relations()

    monkeypatch.setattr(CtasSparkAdapter, "check_schema_exists", fail)
    adapter._components = Parts()  # type: ignore[assignment]  # noqa: SLF001 (no invocation is needed)
    with pytest.raises(DbtDatabaseError, match="duplicate key"):
        adapter.create_schema(SHOP)
