"""Names and values reach Spark and the metastore unchanged, or are refused by name."""

from dataclasses import dataclass

import pytest

from functional import odd_project
from functional.dbt_project import Project, Run, new_project
from functional.odd_project import LONG, ODD
from functional.outside import Outside
from servers.metastore import Metastore

PLACE = "100%20 #1 a'b;ü"


@dataclass(frozen=True, slots=True)
class Built:
    """The project, built twice."""

    project: Project
    outside: Outside
    first: Run
    second: Run

    def described(self, table: str) -> dict[str, str]:
        """Comments of the table's columns by their names."""
        rows = self.project.rows(f"describe {{schema}}.{table}")
        return {row.col_name: row.comment for row in rows}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, metastore: Metastore) -> Built:
    """Two runs of one project: a version of each model, and its successor."""
    project = new_project(tmp_path_factory.mktemp("odd"), metastore)
    project.write(odd_project.files(project.directory / PLACE))
    first, second = project.dbt("run", n=1), project.dbt("run", n=2)
    return Built(project, Outside(metastore, project.schema), first, second)


@pytest.mark.parametrize("file_format", odd_project.FORMATS)
def test_columns_of_any_name_hold_their_values_and_comments(built: Built, file_format: str) -> None:
    """Quotes, dots, commas, newlines and reserved words are part of a name in every format."""
    (row,) = built.project.rows(f"select * from {{schema}}.columns_{file_format}")
    names = odd_project.names(file_format)
    assert row.asDict() == dict.fromkeys(names, "v2")
    described = built.described(f"columns_{file_format}")
    assert described == {name: f"{name} {ODD}" for name in names}


def test_the_column_of_a_text_table_has_its_name_and_comment(built: Built) -> None:
    """Text files hold one column, whatever it is called."""
    (row,) = built.project.rows("select * from {schema}.columns_text")
    assert row.asDict() == {"a,b": "v2"}
    assert built.described("columns_text") == {"a,b": f"a,b {ODD}"}


def test_properties_options_and_comments_are_kept_as_they_are(built: Built) -> None:
    """Keys and values of any text, several thousand characters long, reach the metastore."""
    entry = built.outside.entry("valued")
    assert entry.parameters[ODD] == ODD
    assert entry.parameters["long"] == "v" * LONG
    assert (entry.parameters["a.b"], entry.parameters["k" * 256]) == ("", "v")
    assert entry.parameters["comment"] == ODD + "d" * LONG
    assert entry.sd.serdeInfo.parameters[ODD] == ODD


def test_a_location_of_any_name_takes_the_versions(built: Built) -> None:
    """Percent signs, quotes and spaces of location_root name the directory that they spell."""
    place = built.project.directory / PLACE
    versions = (place / "ctas-spark").glob(f"*/{built.project.schema}.valued/*")
    assert len(list(versions)) == 2
    assert built.project.rows("select n from {schema}.valued")[0].n == 2


def test_partitions_and_buckets_have_columns_of_any_name(built: Built) -> None:
    """Partition columns with spaces and percent signs filter; bucket columns sort."""
    rows = built.project.rows("select `k,x` as k from {schema}.split where `a b` = 1 and `ü=%` = 2")
    assert sorted(row.k for row in rows) == [5, 11]
    described = built.project.rows("describe extended {schema}.split")
    said = {row.col_name: row.data_type for row in described}
    assert (said["Num Buckets"], said["Sort Columns"]) == ("2", "[`k,x`]")


def test_long_names_fit(built: Built) -> None:
    """A table's name of 200 characters, a column's of 1,000 and its comment of 5,000 are kept."""
    assert built.described("l" * 200) == {"c" * 1_000: "d" * LONG}


def test_reserved_words_are_names(built: Built) -> None:
    """A table may be called select, and its column from."""
    assert built.project.rows("select `from` as n from {schema}.follows")[0].n == 2


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("spaced", "table 'a b': Spark's session catalog takes only ASCII letters, digits"),
        ("injected", "table 'x -- y': Spark's session catalog"),
        ("endless", "may have 255 characters, but this name has"),
    ],
)
def test_names_that_the_catalog_can_not_hold_start_no_job(
    built: Built, model: str, said: str
) -> None:
    """The model fails at its plan, with its name, the limit and what to set."""
    message = built.first.message(model)
    assert said in message
    assert f"model.tested.{model}; no job was started" in message


def test_nothing_of_a_refused_name_is_left(built: Built) -> None:
    """Every entry, record and directory belongs to a model that was published."""
    published = {
        name for name, result in built.first.results.items() if result["status"] != "error"
    }
    assert {"spaced", "injected", "endless", "huge"}.isdisjoint(published)
    assert len(built.outside.tables()) == len(published)
    assert len(built.outside.records()) == 2 * len(published) - 1


def test_columns_that_differ_in_case_only_leave_the_old_table(built: Built) -> None:
    """The error names the column, and the version before is still read."""
    message = built.second.message("doubled")
    assert "COLUMN_ALREADY_EXISTS" in message
    assert "still holds version" in message
    assert built.project.rows("select a, b from {schema}.doubled") == [(1, 1)]


def test_a_value_that_the_metastore_has_no_room_for_is_its_own_error(built: Built) -> None:
    """What the metastore refuses in its own words leaves no table."""
    message = built.first.message("huge")
    assert "TABLE_PARAMS" in message
    assert "still does not exist" in message
