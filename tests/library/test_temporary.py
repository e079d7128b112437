"""Temporary objects: their paths, and the names by which Spark knows them."""

import pytest

from ctas_spark.context import TableName
from ctas_spark.errors import InvalidArgumentError
from ctas_spark.temporary import TemporaryKind, TemporaryObjects, expand
from fakes.temporary_views import FakeSession

ORDERS, OTHERS = TableName("shop", "orders"), TableName("sales", "orders")


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
    with pytest.raises(InvalidArgumentError, match="is not a path of one, two or three parts"):
        expand(path, "spark_catalog", "default")


def test_a_view_has_the_name_of_the_table_that_it_shadows() -> None:
    """A query's ``orders.id`` is found in both; a second one of that name gets another."""
    session = FakeSession()
    objects = TemporaryObjects(session)
    objects.shadow(ORDERS, session.frame())
    objects.shadow(OTHERS, session.frame())
    assert objects.name_of(ORDERS) == "global_temp.`orders`"
    others = str(objects.name_of(OTHERS))
    assert others.startswith("global_temp.`orders__temporary_")
    assert TemporaryObjects(FakeSession("two")).generated(OTHERS) not in others
    assert objects.name_of(TableName("shop", "customers")) is None


def test_replacing_a_view_keeps_its_name() -> None:
    """Whoever has resolved it finds the new rows."""
    session = FakeSession()
    objects = TemporaryObjects(session)
    objects.shadow(ORDERS, session.frame())
    replaced = session.frame()
    objects.shadow(ORDERS, replaced)
    assert session.views == {"`orders`": replaced}


def test_a_drop_touches_one_object_of_its_kind() -> None:
    """And says whether there was one."""
    session = FakeSession()
    objects = TemporaryObjects(session)
    objects.shadow(ORDERS, session.frame(), TemporaryKind.TABLE)
    objects.add_function(ORDERS, "orders_1")
    assert not objects.drop(ORDERS, TemporaryKind.VIEW)
    assert objects.drop(ORDERS, TemporaryKind.TABLE)
    assert objects.listed(TemporaryKind.FUNCTION) == [ORDERS]
    assert session.views == {}
    assert objects.drop(ORDERS, TemporaryKind.FUNCTION)
    assert session.statements == ["DROP TEMPORARY FUNCTION IF EXISTS `orders_1`"]


def test_what_a_run_has_made_is_cleared_without_what_was_there() -> None:
    """A notebook that runs dbt keeps its own."""
    session = FakeSession()
    objects = TemporaryObjects(session)
    objects.shadow(ORDERS, session.frame())
    kept = objects.all
    objects.shadow(OTHERS, session.frame())
    objects.clear(keep=kept)
    assert objects.listed(TemporaryKind.VIEW) == [ORDERS]
    objects.clear()
    assert session.views == {}
