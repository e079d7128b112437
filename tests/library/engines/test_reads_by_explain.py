"""A job on a server knows by EXPLAIN whether its query reads its own target."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.context import TableName
from ctas_spark.engines.protocol import StoppableJob, TableRead
from ctas_spark.errors import StagingError

PLAN = """== Parsed Logical Plan ==
'UnresolvedRelation [shop, orders], [], false

== Analyzed Logical Plan ==
id: int
+- SubqueryAlias spark_catalog.shop.recent
   +- View (`spark_catalog`.`shop`.`recent`, [id#206])
      +- SubqueryAlias spark_catalog.shop.orders
         +- Relation spark_catalog.shop.orders[id#210] parquet

== Optimized Logical Plan ==
Relation spark_catalog.shop.other[id#210] parquet
"""


class Job(StoppableJob):
    """One whose statements are kept."""

    def attach(self) -> None:
        """Nothing runs."""

    def stop(self) -> bool:
        """Nothing runs."""
        return True


@pytest.mark.parametrize(
    ("table", "is_read"), [("orders", True), ("recent", True), ("order", False), ("other", False)]
)
def test_a_query_reads_what_its_analysed_plan_names(table: str, *, is_read: bool) -> None:
    """Behind a view, too, and by the whole name; what is only parsed may be anything."""
    asked: list[str] = []

    def sql(statement: str) -> Any:
        asked.append(statement)
        return SimpleNamespace(collect=lambda: [(PLAN,)])

    job = Job(SimpleNamespace(sql=sql), "model", threading.Event())
    found = job.reads("select 1", TableName("shop", table))
    assert found == (frozenset([TableRead("")]) if is_read else frozenset())
    assert asked == ["EXPLAIN EXTENDED select 1"]


def test_a_query_that_can_not_be_planned_is_an_error() -> None:
    """EXPLAIN succeeds, and has a row for each line of the reason: what it reads is not known."""
    lines = ["Error occurred during query planning: ", "[USER_RAISED_EXCEPTION] no such batch"]
    frame = SimpleNamespace(collect=lambda: [(line,) for line in lines])
    job = Job(SimpleNamespace(sql=lambda _: frame), "model", threading.Event())
    with pytest.raises(StagingError, match=r"can't plan the model's query: \[USER_RAISED_EXCEPT"):
        job.reads("select 1", TableName("shop", "orders"))


def test_of_a_plan_that_was_cut_it_is_not_known_what_it_reads() -> None:
    """Spark keeps the beginning, and the tables stand at the end."""
    cut = f"{PLAN[: PLAN.index('SubqueryAlias')]}... 9120 more characters"
    frame = SimpleNamespace(collect=lambda: [(cut,)])
    job = Job(SimpleNamespace(sql=lambda _: frame), "model", threading.Event())
    with pytest.raises(StagingError, match="cuts the plan") as refused:
        job.reads("select 1", TableName("shop", "orders"))
    assert "spark.sql.maxPlanStringLength" in refused.value.remedy
