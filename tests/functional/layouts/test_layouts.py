"""What a version's data and entry can look like."""

from pathlib import Path

from functional.dbt_project import Project
from functional.outside import Outside


def test_a_partitioned_table_is_published_untracked(project: Project, outside: Outside) -> None:
    """Partition values that change with each version are all there, and only they."""
    model = (
        "{{ config(materialized='atomic_table', partition_by=['k'], file_format='%s') }} "
        "select concat('p ', id %% {{ var('n') }}) as k, id from range(12)"
    )
    formats = ("parquet", "orc")
    project.write({f"models/t_{one}.sql": model % one for one in formats})
    for count in (3, 2):
        run = project.build(n=count)
        for table in (f"t_{one}" for one in formats):
            assert run.response(table)["rows_affected"] == 12
            rows = project.rows(f"select distinct k from {{schema}}.{table} order by k")
            assert [row.k for row in rows] == [f"p {value}" for value in range(count)]
            found = project.rows(f"select count(*) as n from {{schema}}.{table} where k = 'p 1'")
            assert found[0].n > 0
    for table in (f"t_{one}" for one in formats):
        assert "spark.sql.partitionProvider" not in outside.parameters(table)
        project.rows(f"insert into {{schema}}.{table} select 99, 'p new'")
        assert project.rows(f"select id from {{schema}}.{table} where k = 'p new'")[0].id == 99


def test_other_engines_read_what_the_metastore_tells_them(
    project: Project, outside: Outside
) -> None:
    """Every version of a plain table; no row of one whose partitions Spark alone finds.

    The run that makes such a table says so, and no later one does.
    """
    query = "select {{ var('n') }} as n{% if var('n') > 2 %}, 'new' as more{% endif %}, 'x' as k"
    head = "{{{{ config(materialized='table'{}) }}}} "
    project.write(
        {
            "models/plain.sql": head.format("") + query,
            "models/by_k.sql": head.format(", partition_by='k'") + query,
        }
    )
    for number in (1, 2, 3):
        run = project.build(n=number)
        more = {"more": "new"} if number > 2 else {}
        assert outside.read("plain") == [{"n": number, **more, "k": "x"}]
        assert outside.read("by_k") == []
        assert [row.n for row in project.rows("select n from {schema}.by_k")] == [number]
        said = "Spark finds the partitions of by_k by listing directories; other engines"
        assert run.log.count(said) == (1 if number == 1 else 0)


def test_every_built_in_format_is_published_and_replaced(
    project: Project, outside: Outside
) -> None:
    """Each of Spark's own formats holds a version and its successor."""
    model = (
        "{{ config(materialized='table', file_format='%s') }} "
        "select concat({{ var('n') }}, ' of ', id) as value from range(3)"
    )
    formats = ("parquet", "orc", "csv", "json", "text")
    project.write({f"models/t_{one}.sql": model % one for one in formats})
    for number in (1, 2):
        project.build(n=number)
        for one in formats:
            rows = project.rows(f"select value from {{schema}}.t_{one} order by value")
            assert [row.value for row in rows] == [f"{number} of {row}" for row in range(3)]
    for one in formats:
        assert outside.parameters(f"t_{one}")["spark.sql.sources.provider"] == one


def test_avro_without_its_jar_is_named(project: Project) -> None:
    """A format that this Spark can't write is refused before any job, with the jar to add."""
    project.write(
        {"models/t.sql": "{{ config(materialized='table', file_format='avro') }} select 1 as n"}
    )
    message = project.dbt("run").message("t")
    assert "[FORMAT_NOT_FOUND] Spark has no data source for file_format avro" in message
    assert "spark-avro" in message


def test_the_format_changes_with_a_version(project: Project, outside: Outside) -> None:
    """Schema, format and properties of the new version replace the old ones in one call."""
    model = (
        "{{ config(materialized='atomic_table', file_format=var('f'), "
        "tblproperties={'team': var('f')}, options={'compression': 'snappy'}) }} "
        "select {{ var('c') }} as c"
    )
    project.write({"models/t.sql": model})
    for file_format, column in (("parquet", "1"), ("orc", "'text'"), ("parquet", "array(1)")):
        project.build(f=file_format, c=column)
        parameters = outside.parameters("t")
        assert parameters["spark.sql.sources.provider"] == file_format
        assert parameters["team"] == file_format
        assert len(project.rows("select c from {schema}.t")) == 1


def test_buckets_are_kept_by_the_publication(project: Project) -> None:
    """A bucketed table is bucketed in its entry, too."""
    model = (
        "{{ config(materialized='table', clustered_by=['id'], buckets=3) }} select id from range(9)"
    )
    project.write({"models/t.sql": model})
    project.build()
    described = {
        row.col_name: row.data_type for row in project.rows("describe extended {schema}.t")
    }
    assert described["Num Buckets"] == "3"


def test_location_root_takes_the_versions(
    project: Project, outside: Outside, tmp_path: Path
) -> None:
    """Versions lie below location_root, and a second build replaces the first (dbt-spark fails)."""
    model = (
        "{{ config(materialized='table', location_root=var('root')) }} select {{ var('n') }} as n"
    )
    project.write({"models/t.sql": model})
    root = tmp_path / "a root's place"
    for number in (1, 2):
        project.build(root=str(root), n=number)
        assert outside.directory("t").is_relative_to(root / "ctas-spark")
        assert project.rows("select n from {schema}.t")[0].n == number


def test_permissions_of_the_table_survive_a_replace(project: Project, outside: Outside) -> None:
    """The new version's directory has the old one's permission bits."""
    project.write({"models/t.sql": "{{ config(materialized='table') }} select 1 as n"})
    project.build()
    outside.directory("t").chmod(0o750)
    project.build()
    assert outside.directory("t").stat().st_mode & 0o7777 == 0o750


def test_zero_rows_are_a_version_too(project: Project) -> None:
    """A model without rows replaces one with rows."""
    model = "{{ config(materialized='table') }} select id from range({{ var('n') }})"
    project.write({"models/t.sql": model})
    project.build(n=5)
    project.build(n=0)
    assert project.rows("select * from {schema}.t") == []


def test_other_partition_keys_are_published_by_the_same_call(
    project: Project, outside: Outside
) -> None:
    """Spark reads the new keys, Hive keeps the old ones, and the log says so."""
    model = (
        "{{ config(materialized='table', partition_by=var('by'), atomicity=var('level')) }} "
        "select id, id as j from range(3)"
    )
    project.write({"models/t.sql": model})
    project.build(by="id", level="auto")
    failed = project.dbt("run", by="j", level="isolated")
    assert "partition columns change" in failed.message("t")
    assert len(outside.versions()) == 1
    run = project.build(by="j", level="auto")
    changed = run.response("t")
    assert (changed["atomicity"], changed["reader_window"]) == ("atomic", "mixed")
    assert changed["commit_strategy"] == "swap"
    assert "Hive's own view of the table keeps the old ones" in run.log
    assert [key.name for key in outside.entry("t").partitionKeys] == ["id"]
    assert project.rows("select id, j from {schema}.t order by id") == [(0, 0), (1, 1), (2, 2)]


def test_a_tables_columns_can_change_their_types_in_one_call(
    project: Project, outside: Outside
) -> None:
    """A server that refuses new types gets no columns, and a second call fills them at once."""
    model = "{{ config(materialized='table') }} select {{ var('value') }} as n, 'x' as s"
    project.write({"models/t.sql": model})
    project.build(value="'a'")
    changed = project.build(value="1").response("t")
    assert changed["commit_strategy"] == "swap"
    columns = [(column.name, column.type) for column in outside.entry("t").sd.cols]
    assert columns == [("n", "int"), ("s", "string")]
    assert project.rows("select n from {schema}.t")[0].n == 1
