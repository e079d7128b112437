"""Each database is a Spark catalog: the same names in two of them are two different things."""

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest

from functional import two_databases
from functional.dbt_project import Project, Run
from functional.two_databases import DESCRIPTION
from readers.session import SMALL
from servers.iceberg import jdbc_catalog
from servers.metastore import Metastore


@dataclass(frozen=True, slots=True)
class Built:
    """The project, built twice."""

    project: Project
    first: Run
    second: Run

    def rows(self, query: str) -> list[list[Any]]:
        """What a new session reads, sorted."""
        return sorted(list(row) for row in self.project.rows(query))

    def tables(self, namespace: str) -> set[str]:
        """What Spark lists of a schema."""
        rows = self.project.rows(f"show tables in {namespace}")
        return {row.tableName for row in rows if not row.isTemporary}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, metastore: Metastore) -> Built:
    """Two builds of one project, with seeds, models, snapshots and tests in both databases."""
    directory = tmp_path_factory.mktemp("databases")
    conf = {**SMALL, **metastore.spark_conf(), **jdbc_catalog("ice", directory)}
    project = Project(directory / "project", "shop", conf)
    project.write(two_databases.files())
    first, second = project.dbt("build", n=1), project.dbt("build", n=2)
    return Built(project, first, second)


@pytest.fixture(scope="module")
def told(built: Built) -> dict[str, tuple[Any, Any]]:
    """What a macro that changes relations of ``ice`` sees in both databases on its way."""
    run = built.project.dbt("run-operation", "change_relations", n=2)
    assert run.success, run.log
    lines = [line.split("TOLD ")[1] for line in run.log.splitlines() if "TOLD " in line]
    return {what: (here, there) for what, here, there in map(json.loads, lines)}


def test_everything_is_built_twice_in_both(built: Built) -> None:
    """Seeds, views, incremental models, snapshots, tests, hooks and staged tables."""
    for run in (built.first, built.second):
        assert run.success, run.log
    assert built.second.results["there_is_no_two"]["failures"] == 1


def test_the_second_build_finds_every_relation_in_dbts_cache(built: Built) -> None:
    """The cache is filled and asked by the same path."""
    assert "adding relation: (database=ice, schema=shop, identifier=orders)" in built.second.log
    assert "cache miss" not in built.second.log


@pytest.mark.parametrize(("place", "database"), [("here", ""), ("there", "ice.")])
def test_an_incremental_model_grows_in_its_own_database(
    built: Built, place: str, database: str
) -> None:
    """Both models are called orders, and are built side by side in one session."""
    expected = [[place, 1], [place, 2], [f"{place} hook", 1], [f"{place} hook", 2]]
    assert built.rows(f"select * from {database}shop.orders") == expected
    assert built.second.response(f"{place}_orders")["rows_affected"] == 1  # the hook's are not


def test_refs_and_sources_lead_to_their_database(built: Built) -> None:
    """A table of the session catalog reads views and seeds of both; the views read sources."""
    rows = built.rows("select found_in, place, count(*) from shop.across group by all")
    assert rows == [["here", "here", 2], ["there", "there", 3]]


@pytest.mark.parametrize("place", ["here", "there"])
def test_snapshots_of_one_name_keep_their_own_history(built: Built, place: str) -> None:
    """In two schemas of one catalog, each knows its old row and its new one."""
    rows = built.rows(f"select place, n, dbt_valid_to is null from ice.shop_{place}.kept")
    assert rows == [[place, 1, False], [place, 2, True]]


def test_snapshots_of_one_name_are_merged_from_views_of_their_own(built: Built) -> None:
    """Temporary ones: nothing of a snapshot lies in Spark's current schema."""
    views = set(re.findall(r"temporary view (kept__dbt_tmp_\w+)", built.second.log))
    assert len(views) == 2


def test_a_catalog_decides_the_format_that_no_one_configures(built: Built) -> None:
    """Parquet is the default of the session catalog only."""
    (here,) = built.project.rows("show create table shop.codes")
    (there,) = built.project.rows("show create table ice.shop.codes")
    assert "USING parquet" in here.createtab_stmt
    assert "USING iceberg" in there.createtab_stmt


def test_persisted_docs_stand_in_another_catalog(built: Built) -> None:
    """A column's description is its comment, quotes and backslashes included."""
    described = built.project.rows("describe ice.shop.codes")
    assert {row.col_name: row.comment for row in described}["code"] == DESCRIPTION


def test_a_failing_test_keeps_its_rows_where_it_is_told_to(built: Built) -> None:
    """store_failures with a database of its own."""
    assert built.rows("select * from ice.shop_dbt_test__audit.twos") == [["there", 2]]


def test_a_staged_table_is_published_in_its_database(built: Built) -> None:
    """With a contract that is checked and a comment, on the staged version, in ``ice``."""
    response = built.second.results["published"]["adapter_response"]
    assert (response["outcome"], response["atomicity"]) == ("committed", "isolated")
    assert built.rows("select * from ice.shop.published") == [[2]]
    described = built.project.rows("describe ice.shop.published")
    assert {row.col_name: row.comment for row in described}["n"] == DESCRIPTION
    assert "published" not in built.tables("shop")


def test_a_schema_with_dots_is_one_within_another(built: Built) -> None:
    """Its model is rebuilt, a view next to it reads it, and dbt finds both."""
    assert built.rows("select * from ice.shop_eu.sales.deep_seen") == [[2, True]]
    assert built.second.response("deep")["atomicity"] == "isolated"
    assert built.tables("ice.shop_eu.sales") == {"deep"}


def test_docs_know_every_relation_by_its_database(built: Built) -> None:
    """catalog.json has each node and source that has a database, with it and its type.

    Rows that nobody counted are not 0.
    """
    assert built.project.dbt("docs", "generate", n=2).success
    catalog = json.loads((built.project.directory / "target" / "catalog.json").read_text())
    assert not catalog["errors"]
    tables = {**catalog["nodes"], **catalog["sources"]}
    assert 0 not in [one["stats"].get("rows", {}).get("value") for one in tables.values()]
    found = {
        name.split(".", 2)[2]: (table["metadata"]["database"], table["metadata"]["type"])
        for name, table in tables.items()
    }
    here, there = "spark_catalog", "ice"
    audited = next(name for name in found if name.startswith("there_is_no_two"))
    assert found.pop(audited) == (there, "table")
    assert found == {
        "deep": (there, "table"),
        "deep_seen": (there, "view"),
        "published": (there, "table"),
        "here.events": (here, "table"),
        "there.events": (there, "table"),
        "here_codes": (here, "table"),
        "there_codes": (there, "table"),
        "here_orders": (here, "table"),
        "there_orders": (there, "table"),
        "here_seen": (here, "view"),
        "there_seen": (there, "view"),
        "here_kept": (there, "table"),
        "there_kept": (there, "table"),
    }
    assert list(catalog["nodes"]["seed.tested.there_codes"]["columns"]) == ["place", "code"]


@pytest.mark.parametrize(
    ("what", "here", "there"),
    [
        ("a is iceberg", False, True),
        (
            "after renames",
            ["table changed.a", "view changed.v"],
            ["table ice.changed.b", "view ice.changed.w"],
        ),
        ("rows", [1, 1], [0, 1]),
        ("after a drop", ["table changed.a", "view changed.v"], ["table ice.changed.b"]),
        ("schema exists", True, False),
        ("after the schema", ["table changed.a", "view changed.v"], []),
    ],
)
def test_a_change_in_one_database_leaves_the_other(
    told: dict[str, tuple[Any, Any]], what: str, here: object, there: object
) -> None:
    """Rename, truncate, drop and drop schema work in ``ice``; its namesakes stay as they are."""
    assert told[what] == (here, there)


@pytest.mark.usefixtures("told")
def test_nothing_is_renamed_into_another_database(built: Built) -> None:
    """Spark can't, so it is said, and the table stays."""
    run = built.project.dbt("run-operation", "move_between_databases", n=2)
    assert "changed.a can't be renamed to ice.changed.a" in run.log
    assert built.tables("changed") == {"a", "v"}


def test_show_reads_the_model_s_database(built: Built) -> None:
    """dbt show renders the whole path."""
    inline = "select * from {{ ref('there_codes') }}"
    assert "| there |    2 |" in built.project.dbt("show", "--inline", inline, n=2).log


def seeding(built: Built, database: str) -> Project:
    """A project of one seed, in the same session, with a database in its profile."""
    project = Project(built.project.directory / database, "elsewhere", built.project.conf)
    project.write({"seeds/codes.csv": "code\n1\n"})
    project.write_profile(database=database)
    return project


def test_the_profiles_database_is_the_default(built: Built) -> None:
    """A seed that names none is built in the profile's catalog, and nothing in the session's."""
    assert seeding(built, "ice").dbt("seed").success
    assert built.tables("ice.elsewhere") == {"codes"}
    assert "elsewhere" not in {row.namespace for row in built.project.rows("show schemas")}


@pytest.mark.parametrize("command", ["debug", "seed"])
def test_a_catalog_that_spark_does_not_have_is_named(built: Built, command: str) -> None:
    """Spark would take it for a schema; the error says the setting that is missing."""
    run = seeding(built, "nowhere").dbt(command)
    assert not run.success
    said = run.log + str(run.exception)
    assert "database 'nowhere': Spark has no catalog of that name" in said
    assert "spark.sql.catalog.nowhere in spark_conf" in said
