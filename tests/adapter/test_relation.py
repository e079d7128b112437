"""Relations by their full path, without Spark."""

from typing import Any

import pytest
from dbt.adapters.cache import RelationsCache
from dbt.adapters.spark.relation import SparkRelation

from ctas_spark import temporary
from ctas_spark.context import TableName, catalog_of, table_name
from dbt.adapters.ctas_spark.relation import CtasSparkRelation, InputLimit
from fakes.temporary_views import FakeSession


def relation(database: str | None, schema: str | None = "shop") -> Any:
    """The relation ``orders``."""
    return CtasSparkRelation.create(database, schema, "orders")


@pytest.mark.parametrize("database", [None, "", "spark_catalog", "SPARK_CATALOG"])
def test_the_session_catalog_has_one_name_and_is_not_written(database: str | None) -> None:
    """SQL of projects that know no catalog stays as dbt-spark writes it."""
    found = relation(database)
    assert found == relation("spark_catalog")
    assert found.database == "spark_catalog"
    assert str(found) == str(SparkRelation.create(schema="shop", identifier="orders"))


def test_any_other_catalog_is_written() -> None:
    """In each form that dbt asks for, quoted where it asks for that."""
    there = relation("ice")
    assert str(there) == "ice.shop.orders"
    assert str(there.quote(database=True, schema=True)) == "`ice`.`shop`.orders"
    assert str(there.without_identifier()) == "ice.shop"
    assert str(there.include(schema=False, identifier=False)) == "ice"
    assert str(relation("shop")) == "shop.shop.orders"


def test_a_name_alone_is_in_no_catalog() -> None:
    """A temporary view stays one, whatever is done with its relation."""
    view = relation(None, None)
    assert (view.database, str(view)) == (None, "orders")
    assert str(view.incorporate(type="view")) == "orders"


def test_relations_of_two_databases_are_two_in_dbts_cache() -> None:
    """One that dbt writes without its database is the session catalog's, when it is looked up."""
    cache: Any = RelationsCache()
    cache.add(relation(None))
    cache.add(relation("ice"))
    assert cache.get_relations("ice", "shop") == [relation("ice")]
    cache.drop(relation("ice"))
    assert cache.get_relations("ice", "shop") == []
    assert cache.get_relations("spark_catalog", "shop") == [relation(None)]


def test_temporary_views_of_one_name_do_not_meet() -> None:
    """A session has one namespace for them; each path has a view of its own, again and again."""
    paths = [(None, "shop"), (None, "other"), ("ice", "shop"), ("ice", "other")]
    names = {_temporary(database, schema) for database, schema in paths}
    assert len(names) == len(paths)
    assert {_temporary(database, schema) for database, schema in paths} == names
    assert all(name.startswith("orders__dbt_tmp_") for name in names)


def _temporary(database: str | None, schema: str) -> str:
    """As dbt-spark's incremental models make it."""
    beside = relation(database, schema).incorporate(path={"identifier": "orders__dbt_tmp"})
    return str(beside.include(database=False, schema=False))


def test_only_temporary_views_get_another_name() -> None:
    """A user who wants a bare identifier gets it."""
    assert str(relation("ice").include(database=False, schema=False)) == "orders"


@pytest.mark.parametrize(
    ("database", "expected"),
    [
        (None, TableName("shop", "orders")),
        ("Spark_Catalog", TableName("shop", "orders")),
        ("Ice", TableName("Shop", "Orders", "Ice")),
    ],
)
def test_only_the_session_catalog_writes_in_lower_case(
    database: str | None, expected: TableName
) -> None:
    """Other catalogs tell upper case apart, and Spark the names of catalogs."""
    assert table_name(database, "Shop", "Orders") == expected
    assert catalog_of(database) == expected.catalog


def test_a_branch_is_a_part_of_its_tables_path() -> None:
    """With the catalog, also the session's: three names alone are another catalog's."""
    there = relation("ice").incorporate(branch="audit").quote(database=True, schema=True)
    assert str(there) == "`ice`.`shop`.orders.`branch_audit`"
    assert str(relation(None).incorporate(branch="a")) == "spark_catalog.shop.orders.`branch_a`"
    assert TableName("shop", "t", branch="a").parts == ("spark_catalog", "shop", "t", "branch_a")


def test_a_schema_with_dots_is_one_within_another_outside_of_the_session_catalog() -> None:
    """Each level is quoted by itself, and to make the schema takes those around it."""
    deep = relation("ice", "eu.sales")
    assert str(deep.quote(database=True, schema=True)) == "`ice`.`eu`.`sales`.orders"
    assert [*deep.schemas] == ["`ice`.`eu`", "`ice`.`eu`.`sales`"]
    assert str(relation(None, "eu.sales").quote(schema=True)) == "`eu.sales`.orders"
    assert [*relation(None, "eu").schemas] == ["`spark_catalog`.`eu`"]
    assert TableName("eu.sales", "t", "ice").parts == ("ice", "eu", "sales", "t")


@pytest.fixture
def shadowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A temporary view shadows ``shop.orders``."""
    monkeypatch.setattr(temporary, "_of_sessions", {})
    session = FakeSession()
    temporary.of(session).shadow(TableName("shop", "orders"), session.frame())


@pytest.mark.usefixtures("shadowed")
def test_a_shadow_is_written_in_place_of_its_path() -> None:
    """Quoted or not; what has another path, or shows a part of it, is written as ever."""
    found = relation(None)
    assert str(found) == "global_temp.`orders`"
    assert str(found.quote(schema=True, identifier=True)) == "global_temp.`orders`"
    assert str(found.incorporate(type="table")) == "global_temp.`orders`"
    assert str(relation(None, "SHOP")) == "global_temp.`orders`"
    assert str(found.include(schema=False)) == "orders"
    assert str(found.without_identifier()) == "shop"
    assert str(found.incorporate(type="function")) == "shop.orders"
    assert str(found.replace(branch="b")) == "spark_catalog.shop.orders.`branch_b`"
    assert str(relation("ice")) == "ice.shop.orders"
    assert str(relation(None, "sales")) == "sales.orders"


def test_a_relation_is_the_same_before_and_after_it_is_shadowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the sets and mappings that dbt keeps of relations."""
    monkeypatch.setattr(temporary, "_of_sessions", {})
    known = {relation(None)}
    session = FakeSession()
    temporary.of(session).shadow(TableName("shop", "orders"), session.frame())
    assert relation(None) in known


class Node:
    """A node as dbt makes relations of it."""

    database, schema, identifier = None, "shop", "customers"
    quoting_dict: dict[str, bool] = {}  # noqa: RUF012 (dbt's shape)
    quoting = quoting_dict
    catalog_name = None


@pytest.mark.usefixtures("shadowed")
def test_a_limit_holds_for_what_is_permanent(monkeypatch: pytest.MonkeyPatch) -> None:
    """By ref and source, which say ``limit``; a clause leaves the columns their table's name."""
    node: Any = Node()
    monkeypatch.setattr(InputLimit, "rows", 5)
    found = CtasSparkRelation.create_from(node, node, limit=None)
    assert str(found) == "shop.customers TABLESAMPLE (5 ROWS)"
    assert found.render() == "shop.customers"
    assert str(CtasSparkRelation.create_from(node, node)) == "shop.customers"
    assert "limit 0" in str(CtasSparkRelation.create_from(node, node, limit=0))
    assert str(relation(None).replace(limit=5)) == "global_temp.`orders`"
