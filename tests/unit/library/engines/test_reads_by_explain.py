"""A job on a server knows by EXPLAIN whether its query reads its own target."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.context import TableName
from ctas_spark.engines.protocol import StoppableJob, TableRead

PLAN = """== Parsed Logical Plan ==
'UnresolvedRelation [shop, orders], [], false

== Analyzed Logical Plan ==
id: int
+- SubqueryAlias spark_catalog.shop.recent
   +- View (`spark_catalog`.`shop`.`recent`, [id#206])
      +- SubqueryAlias spark_catalog.shop.orders
         +- Relation spark_catalog.shop.orders[id#210] parquet
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
