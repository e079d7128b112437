"""Shapes of tables that change from one version to the next, in two runs of one project."""

import json
from dataclasses import dataclass

import pytest

from functional import wide_tables
from functional.dbt_project import Project, Run, new_project
from functional.outside import Outside
from servers.metastore import Metastore

WIDE = 500
BOTH = {"relation": True, "columns": True}


@dataclass(frozen=True, slots=True)
class Shapes:
    """The project after its second run."""

    project: Project
    outside: Outside
    second: Run

    def comments(self, table: str) -> dict[str, str | None]:
        """Comments of the table's columns by their names."""
        rows = self.project.rows(f"describe {{schema}}.{table}")
        return {row.col_name: row.comment for row in rows}


def choose(first: str, second: str) -> str:
    """One text for the first run, another for the second."""
    return f"{{% if var('n') == 1 %}}{first}{{% else %}}{second}{{% endif %}}"


MODELS = {
    "wide": "select "
    + choose(
        ", ".join(f"{number} as c{number}" for number in range(WIDE)),
        ", ".join(f"'{number}' as d{number}" for number in range(WIDE)),
    ),
    "nested": "select "
    + choose(
        "named_struct('a', 1, 'b', array(1, 2)) as s, map('k', 1) as m",
        "named_struct('a', 'x', 'c', named_struct('d', null)) as s, "
        "array(map('k', named_struct('e', array(date'2013-01-01')))) as m",
    ),
    "bucketed": "select id, id % 3 as k from range(20)",
    "documented": "select 1 as n, 2 as p",
}


def described(count: int) -> list[dict[str, str]]:
    """Descriptions of the first columns of the wide model, whichever version it is."""
    columns = [{"name": f"d{number}", "description": f"the {number}"} for number in range(count)]
    return [*columns, {"name": "no_such_column", "description": "described, and not there"}]


def properties(run: int) -> str:
    """The models' configurations: buckets, docs and properties differ from run to run."""
    configs: dict[str, dict[str, object]] = {
        "wide": {"persist_docs": BOTH},
        "nested": {},
        "bucketed": {"clustered_by": "k", "sorted_by": "id", "buckets": 3} if run == 1 else {},
        "documented": {
            "tblproperties": {"kept": str(run), **({"dropped": "1"} if run == 1 else {})},
            "partition_by": "p",
            "persist_docs": BOTH,
        },
    }
    columns = {
        "wide": described(WIDE),
        "documented": [
            {"name": "N", "description": f"version {run}"},
            {"name": "p", "description": "a partition"},
        ],
    }
    return json.dumps(
        {
            "models": [
                {
                    "name": name,
                    "description": f"described by {run}",
                    "config": {"materialized": "table", **config},
                    "columns": columns.get(name, []),
                }
                for name, config in configs.items()
            ]
        }
    )


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory, metastore: Metastore) -> Shapes:
    """Two versions of every model, with a property that a user set on the first."""
    project = new_project(tmp_path_factory.mktemp("shapes"), metastore)
    models = {f"models/{name}.sql": query for name, query in MODELS.items()}
    project.write({**models, "models/all.yml": properties(1)})
    project.build(n=1)
    assert sorted_buckets(project) == ("3", "[`id`]")
    project.rows("alter table {schema}.documented set tblproperties ('by_hand' = 'mine')")
    project.write({"models/all.yml": properties(2)})
    second = project.build(n=2)
    return Shapes(project, Outside(metastore, project.schema), second)


def sorted_buckets(project: Project) -> tuple[str | None, str | None]:
    """Number and order of the bucketed model's buckets."""
    rows = project.rows("describe extended {schema}.bucketed")
    found = {row.col_name: row.data_type for row in rows}
    return found.get("Num Buckets"), found.get("Sort Columns")


def test_five_hundred_described_columns(shapes: Shapes) -> None:
    """A wide table is replaced by one with other names and types, every column with its comment."""
    (row,) = shapes.project.rows("select * from {schema}.wide")
    assert list(row) == [str(number) for number in range(WIDE)]
    comments = shapes.comments("wide")
    assert comments == {f"d{number}": f"the {number}" for number in range(WIDE)}


def test_a_description_without_its_column_is_a_warning(shapes: Shapes) -> None:
    """As in dbt-spark, docs that are ahead of the model do not fail it."""
    assert "not present in the database: no_such_column" in shapes.second.log


def test_nested_types_change_with_a_version(shapes: Shapes) -> None:
    """Fields of structs, arrays and maps are added, dropped and retyped by one publication."""
    (row,) = shapes.project.rows("select s.a, s.c.d, m[0]['k'].e[0] as e from {schema}.nested")
    assert (row.a, row.d, str(row.e)) == ("x", None, "2013-01-01")


def test_sorted_buckets_come_and_go_with_a_version(shapes: Shapes) -> None:
    """Buckets and their order belong to a version; the next may have none."""
    assert sorted_buckets(shapes.project) == (None, None)
    assert shapes.project.rows("select count(*) as n from {schema}.bucketed")[0].n == 20


def test_comments_change_with_a_version(shapes: Shapes) -> None:
    """Table and columns have the new version's comments, but a partition column has none."""
    assert shapes.outside.parameters("documented")["comment"] == "described by 2"
    comments = shapes.comments("documented")
    assert (comments["n"], comments["p"]) == ("version 2", None)
    assert "Spark can't comment on the partition column p" in shapes.second.log


def test_properties_that_a_user_set_survive_a_replace(shapes: Shapes) -> None:
    """The model's own properties are the new version's; others are the table's and stay."""
    found = shapes.outside.parameters("documented")
    assert (found["kept"], found["by_hand"]) == ("2", "mine")


@pytest.mark.long
def test_a_table_may_have_many_columns(project: Project) -> None:
    """Also one that is merged into, a view and a snapshot."""
    wide_tables.build_and_check(project, "parquet")
