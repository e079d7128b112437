"""How relations are listed and found, without Spark."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError
from pyspark.sql import Row

from ctas_spark.context import TableName
from ctas_spark.metastore.client import TableEntry
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.relations import LISTINGS, Relations

GONE = "[TABLE_OR_VIEW_NOT_FOUND] The table or view `shop`.`t` cannot be found."
FIRST = "Catalog: spark_catalog\nDatabase: shop\nTable: {}\nOwner: me\nLast Access: UNKNOWN\n"
SPOOF = "x\nType: VIEW\nProvider: delta\nTable Properties: [table_type=ICEBERG]"
ENDS = "Location: file:/w/t\nSchema: root\n |-- id: integer (nullable = true)"
NO_CATALOGS = SimpleNamespace(conf=SimpleNamespace(get=lambda _key, default=None: default))
QUOTING = {"database": True, "schema": False, "identifier": False}


class OfServer:
    """Relations of a server, whose SHOW TABLE EXTENDED answers or fails so, one after the other."""

    def __init__(self, *answers: Any, entries: Sequence[TableEntry] = ()) -> None:
        self.answers = list(answers)
        self.described: list[str] = []
        dbt: Any = SimpleNamespace(
            config=SimpleNamespace(quoting={}),
            Relation=CtasSparkRelation,
            execute_macro=self.execute_macro,
            get_macro_resolver=lambda: None,
        )
        credentials = SimpleNamespace(iceberg_catalogs=["ice"])
        invocation: Any = SimpleNamespace(
            credentials=credentials,
            spark=NO_CATALOGS,
            catalogs=SimpleNamespace(entries_in=lambda _schema: entries),
        )
        self.relations = Relations(invocation, dbt)

    def execute_macro(self, macro_name: str, kwargs: dict[str, Any]) -> Any:
        """One answer."""
        if macro_name == "describe_table_extended_without_caching":
            self.described.append(kwargs["table_name"])
            return []
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            raise DbtRuntimeError(answer)
        return answer

    def found(self, database: str | None = None) -> dict[str, str]:
        """What each relation is."""
        schema = CtasSparkRelation.create(database, "shop")
        in_catalog = self.relations.of_session_catalog if database is None else None
        listed: list[Any] = (in_catalog or self.relations.tables)(schema)
        formats = ("is_delta", "is_hudi", "is_iceberg", "is_view")
        return {
            one.identifier: " ".join(name for name in formats if getattr(one, name))
            for one in listed
        }


def listed(*failures: str) -> list[str]:
    """What becomes of a listing whose attempts fail so; then one succeeds."""
    return [*OfServer(*failures, [("shop", "orders", False, FIRST + "Type: MANAGED")]).found()]


def test_a_table_that_is_dropped_meanwhile_does_not_empty_the_schema() -> None:
    """Snapshots and incremental models would begin anew."""
    assert listed() == ["orders"]
    assert listed(GONE, GONE) == ["orders"]


@pytest.mark.parametrize(
    ("names", "statements"),
    [(["Orders", "v"], 1), (["orders"], 2), (["orders", "v", "more"], 2), ([], 2)],
)
def test_a_schema_is_listed_by_the_metastore_of_the_profile(
    names: list[str], statements: int
) -> None:
    """Only if the server shows the same names: else it may be another metastore."""
    entries = [
        TableEntry(TableName("shop", name), kind, None, (), (), 0, {}, None)
        for name, kind in (("orders", "EXTERNAL_TABLE"), ("v", "VIRTUAL_VIEW"))
    ]
    shown = [("shop", name, False) for name in names] + [("", "temporary", True)]
    by_sql = [("shop", "others", False, FIRST + "Type: MANAGED")]
    server = OfServer(shown, by_sql, entries=entries)
    found = server.found()
    assert len(server.answers) == 2 - statements
    assert found == ({"orders": "", "v": "is_view"} if statements == 1 else {"others": ""})


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
    server = OfServer([*rows, ("", "temporary", True, "Table: temporary\nType: VIEW\n")])
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
    unity, ice = OfServer(rows), OfServer(rows)
    assert unity.found("unity") == {"plain": "is_delta", "spoof": ""}
    assert unity.described == ["`unity`.`shop`.`spoof`"]
    assert set(ice.found("ice").values()) == {"is_iceberg"}
    assert ice.described == []


class Catalog:
    """A catalog with these tables, which ``ignores_case`` or does not."""

    def __init__(self, *tables: str, ignores_case: bool) -> None:
        self.tables = tables
        self.ignores_case = ignores_case
        dbt: Any = SimpleNamespace(
            config=SimpleNamespace(quoting=QUOTING),
            Relation=CtasSparkRelation,
            execute_macro=self.execute_macro,
        )
        invocation: Any = SimpleNamespace()
        self.relations = Relations(invocation, dbt)

    def execute_macro(self, _name: str, kwargs: dict[str, str]) -> list[object]:
        asked = kwargs["table_name"].rpartition(".")[2]
        known = map(str.lower, self.tables) if self.ignores_case else self.tables
        if (asked.lower() if self.ignores_case else asked) not in [*known]:
            raise DbtRuntimeError("[TABLE_OR_VIEW_NOT_FOUND] no")
        return [("id", "int", "")]

    def find(self, identifier: str) -> str | None:
        """The name of what is found."""
        there: list[Any] = [CtasSparkRelation.create("ice", "shop", one) for one in self.tables]
        found: list[Any] = self.relations.matching(there, "ice", "shop", identifier)
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
    invocation: Any = SimpleNamespace()
    dbt: Any = SimpleNamespace(execute_macro=lambda _macro, kwargs: rows if kwargs else [])
    relations = Relations(invocation, dbt)
    made = CtasSparkRelation.create(schema="shop", identifier="orders")
    found = relations.as_described(made)
    assert (found.is_delta, found.is_iceberg) == (True, False)
    rows[2:] = []
    assert not relations.as_described(made).is_delta
