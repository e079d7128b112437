"""Which table's size a statement writes down, by its first words: a server shows no plan."""

from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.engines.commands import COUNTED, counted_by_words


def spark(*, counts: bool = False) -> Any:
    """A session whose schema is ``shop``."""
    current = SimpleNamespace(collect=lambda: [("shop",)])
    settings = {COUNTED: str(counts).lower()}
    return SimpleNamespace(sql=lambda _: current, conf=SimpleNamespace(get=settings.get))


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("analyze table a.b compute statistics", "a.b"),
        ("/* dbt */ -- x\n ANALYZE  TABLE `a`.`b.c` COMPUTE STATISTICS FOR ALL COLUMNS", "a.b.c"),
        ("analyze table spark_catalog.a.b compute statistics", "a.b"),
        ("analyze table b compute statistics", "shop.b"),
        ("analyze table ice.a.b compute statistics", ""),
        ("analyze tables in a compute statistics", ""),
        ("insert into a.b select 1", ""),
        ("select 1", ""),
        ("select 'analyze table a.b'", ""),
    ],
)
def test_an_analyze_names_its_table(sql: str, table: str) -> None:
    """Behind comments, completed by the session's schema; another catalog's is not counted."""
    assert [str(one) for one in counted_by_words(spark(), sql)] == ([table] if table else [])


@pytest.mark.parametrize("words", ["insert into", "INSERT OVERWRITE", "insert into table"])
def test_an_insert_counts_where_spark_is_to_count_after_each(words: str) -> None:
    """By a setting of the session."""
    (found,) = counted_by_words(spark(counts=True), f"{words} a.b select 1")
    assert str(found) == "a.b"
