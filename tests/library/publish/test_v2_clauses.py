"""The clauses of the statements that fill a fork, or a staged table."""

import pytest

from ctas_spark.publish.ddl import partition_field


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("day", "`day`"),
        ("a b", "`a b`"),
        ("days(ts)", "days(`ts`)"),
        ("bucket(8, id)", "bucket(8, `id`)"),
        ("truncate(name, 4)", "truncate(4, `name`)"),
        ("hours(`a b`)", "hours(`a b`)"),
        ("bucket(id, name)", "`bucket(id, name)`"),
        ("days(ts); drop table t", "`days(ts); drop table t`"),
        ("days(`a`) , x(", "`days(``a``) , x(`"),
    ],
)
def test_partition_fields_are_columns_or_transforms(text: str, sql: str) -> None:
    """Everything that is not a transform of Spark's is a column's name, in quotes."""
    assert partition_field(text) == sql
