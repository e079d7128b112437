"""The paths of temporary objects."""

import pytest

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import InvalidArgumentError
from dbt.adapters.ctas_spark.staging.temporary import expand


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("orders", TableName("sales", "orders", "ice")),
        ("Shop.Orders", TableName("Shop", "Orders", "ice")),
        ("spark_catalog.Shop.Orders", TableName("shop", "orders")),
        ("`a.b`.`c``d`", TableName("a.b", "c`d", "ice")),
        (" other.shop.orders ", TableName("shop", "orders", "other")),
    ],
)
def test_what_a_path_leaves_out_is_the_current_catalog_and_schema(
    path: str, expected: TableName
) -> None:
    """The session catalog knows names in lower case only."""
    assert expand(path, "ice", "sales") == expected


@pytest.mark.parametrize("path", ["", "a.b.c.d", "a..b", "a b", ".a", "a.", "`a"])
def test_anything_else_is_refused(path: str) -> None:
    """Before something is made under a name that nobody finds."""
    with pytest.raises(InvalidArgumentError, match="is no path of one, two or three parts"):
        expand(path, "spark_catalog", "default")
