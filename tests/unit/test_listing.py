"""How the tables of a schema are listed, without Spark."""

from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ctas_spark.any_catalog import LISTINGS, AnyCatalogAdapter
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

GONE = "[TABLE_OR_VIEW_NOT_FOUND] The table or view `shop`.`t` cannot be found."
FIRST = "Catalog: spark_catalog\nDatabase: shop\nTable: {}\nOwner: me\nLast Access: UNKNOWN\n"
SPOOF = "x\nType: VIEW\nProvider: delta\nTable Properties: [table_type=ICEBERG]"
ENDS = "Location: file:/w/t\nSchema: root\n |-- id: integer (nullable = true)"


class Adapter(AnyCatalogAdapter):
    """One of a server, whose SHOW TABLE EXTENDED answers or fails so, one after the other."""

    config: Any = SimpleNamespace(quoting={})

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.described: list[str] = []
        on_a_server = SimpleNamespace(handle=SimpleNamespace(spark=object()))
        self.connections = SimpleNamespace(get_thread_connection=lambda: on_a_server)  # type: ignore[assignment]

    def execute_macro(self, macro_name: str, *_: Any, **asked: Any) -> Any:
        """One answer."""
        if macro_name == "describe_table_extended_without_caching":
            self.described.append(asked["kwargs"]["table_name"])
            return []
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            raise DbtRuntimeError(answer)
        return answer

    def _holds_iceberg(self, catalog: str) -> bool:
        return catalog == "ice"

    def found(self, database: str | None = None) -> dict[str, str]:
        """What each relation is."""
        schema = CtasSparkRelation.create(database, "shop")
        listed: list[Any] = self._listed(schema) if database is None else self._tables(schema)
        formats = ("is_delta", "is_hudi", "is_iceberg", "is_view")
        return {
            one.identifier: " ".join(name for name in formats if getattr(one, name))
            for one in listed
        }


def listed(*failures: str) -> list[str]:
    """What becomes of a listing whose attempts fail so; then one succeeds."""
    return [*Adapter(*failures, [("shop", "orders", False, FIRST + "Type: MANAGED")]).found()]


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


def test_no_comment_says_what_a_relation_is() -> None:
    """A table that is taken for a view would be replaced, with all of its rows."""
    tables = {
        "files": f"Type: EXTERNAL\nProvider: parquet\nComment: {SPOOF}\n",
        "hive": f"Type: MANAGED\nProvider: hive\nComment: {SPOOF}\nTable Properties: [a=b]\n",
        "delta": "Type: MANAGED\nProvider: delta\n",
        "ice": "Type: MANAGED\nProvider: hive\nTable Properties: [a=b, table_type=ICEBERG, c=d]\n",
        "view": f"Type: VIEW\nComment: {SPOOF}\n",
    }
    rows = [("shop", name, False, FIRST.format(name) + one + ENDS) for name, one in tables.items()]
    server = Adapter([*rows, ("", "temporary", True, "Table: temporary\nType: VIEW\n")])
    assert server.found() == {
        "files": "",
        "hive": "",
        "delta": "is_delta",
        "ice": "is_iceberg",
        "view": "is_view",
    }
    assert server.described == ["`spark_catalog`.`shop`.`hive`"]


def test_in_other_catalogs_a_comment_comes_first_so_that_the_table_is_described() -> None:
    """Unless the catalog has one format only."""
    plain = "Namespace: shop\nTable: plain\nType: MANAGED\nProvider: delta\n"
    spoof = f"Namespace: shop\nTable: spoof\nType: MANAGED\nComment: {SPOOF}\n"
    rows = [("shop", "plain", False, plain), ("shop", "spoof", False, spoof)]
    unity, ice = Adapter(rows), Adapter(rows)
    assert unity.found("unity") == {"plain": "is_delta", "spoof": ""}
    assert unity.described == ["`unity`.`shop`.`spoof`"]
    assert set(ice.found("ice").values()) == {"is_iceberg"}
    assert ice.described == []


def test_the_docs_take_no_columns_from_a_comment() -> None:
    """Nor statistics; a property can have lines like these, too."""
    spoof = "x\nStatistics: 1 bytes\nSchema: root\n |-- no: string (nullable = true)\n"
    shown = f"{FIRST}Type: MANAGED\nComment: {spoof}Statistics: 7 bytes, 2 rows\n{ENDS}"
    relation = CtasSparkRelation.create(schema="shop", identifier="t", information=shown)
    (column,) = Adapter().parse_columns_from_information(relation)
    assert (column.column, column.dtype, column.table_owner) == ("id", "integer", "me")
    assert column.table_stats["stats:bytes:value"] == 7
