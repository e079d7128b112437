"""dbt runs on a server: what is published, and what is not."""

import threading

from pyspark import SparkContext

from remote.place import MODELS, MOSTLY_CONNECT, ONLY_CONNECT, Place

REPLACED = {
    "ice": ("fast_forward", "isolated", "cas"),
    "dlt": ("replace", "atomic", "none"),
}


def test_models_are_created_and_then_replaced(place: Place) -> None:
    """By a branch or one statement, never a DROP; the results say how strong that is."""
    first = place.project.build()
    assert place.names() == [("old", 3), ("old", 3)]
    second = place.project.build(name="new")
    assert place.names() == [("new", 3), ("new", 3)]
    promised = ("commit_strategy", "atomicity", "conflict_check")
    for model in MODELS:
        assert first.response(model)["commit_strategy"] == "create"
        response = second.response(model)
        assert tuple(response[key] for key in promised) == REPLACED[model]
        assert (response["reader_window"], response["outcome"]) == ("none", "committed")
        described = {row[0]: row[2] for row in place.rows(f"describe {place.table(model)}")}
        assert described["id"] == "its number"
    assert place.staged() == []
    history = place.rows(f"describe history {place.table('dlt')}")
    assert [row[4] for row in history] == ["REPLACE TABLE AS SELECT", "CREATE TABLE AS SELECT"]
    assert SparkContext._gateway is None  # noqa: SLF001 (no JVM was started here)


@MOSTLY_CONNECT
def test_a_model_that_fails_leaves_the_old_table(place: Place) -> None:
    """Where the query raises while it is staged; nothing staged is left."""
    place.project.build()
    failed = place.project.dbt("run", name="new", fails=True)
    for model in MODELS:
        assert "is unchanged" in failed.message(model)
        assert "no 0" in failed.message(model)
    assert (place.names(), place.staged()) == ([("old", 3), ("old", 3)], [])


@MOSTLY_CONNECT
def test_what_needs_the_jvm_is_refused_before_any_job(place: Place) -> None:
    """By name, with what would work."""
    isolated = (
        "{{ config(materialized='table', database='spark_catalog', file_format='delta', "
        "atomicity='isolated') }} select 1 as id"
    )
    plain = "{{ config(materialized='table', database='spark_catalog') }} select 1 as id"
    iceberg = plain.replace("') }}", "', file_format='iceberg') }}")
    place.write(
        {
            "models/isolated.sql": isolated,
            "models/plain.sql": plain,
            "models/iceberg.sql": iceberg,
        }
    )
    refused = place.project.dbt("run", "--select", "isolated", "plain", "iceberg")
    assert "method: session in the profile for isolated" in refused.message("isolated")
    assert "the driver's JVM can't be reached" in refused.message("isolated")
    assert "a table of parquet files can't be published" in refused.message("plain")
    assert "file_format: iceberg or delta" in refused.message("plain")
    assert "where the server is started" in refused.message("iceberg")
    assert place.rows(f"show tables in spark_catalog.{place.project.schema}") == []


@MOSTLY_CONNECT
def test_a_change_of_columns_is_copied(place: Place) -> None:
    """It is atomic, and says what keeps it from isolated; asked for by name it is refused."""
    place.project.build()
    changed = "{{ config(materialized='table'%s) }} select 1 as other"
    place.write({"models/ice.sql": changed % "", "models/schema.yml": ""})
    copied = place.project.dbt("run", "--select", "ice")
    assert copied.response("ice")["atomicity"] == "atomic"
    assert "was last published at atomicity isolated, and is now at atomic" in copied.log
    place.write({"models/ice.sql": (changed % ", atomicity='isolated'") + ", 2 as more"})
    refused = place.project.dbt("run", "--select", "ice")
    assert "its columns differ" in refused.message("ice")
    assert place.rows(f"select * from {place.table('ice')}") == [(1,)]
    assert place.staged() == []


@ONLY_CONNECT
def test_readers_see_whole_versions(place: Place) -> None:
    """A session of somebody else's reads the old version or the new one while a run replaces it."""
    place.project.build()
    enough, seen = threading.Event(), []

    def read() -> None:
        reader = place.server.new_session()
        while not enough.is_set():
            for model in MODELS:
                reader.sql(f"refresh table {place.table(model)}")
                rows = reader.sql(f"select name, count(*) from {place.table(model)} group by name")
                seen.append((model, [tuple(row) for row in rows.collect()]))
        reader.stop()

    thread = threading.Thread(target=read)
    thread.start()
    try:
        place.project.build(name="new")
    finally:
        enough.set()
        thread.join()
    for model in MODELS:
        versions = [rows for name, rows in seen if name == model]
        assert {str(rows) for rows in versions} <= {"[('old', 3)]", "[('new', 3)]"}
        assert versions[0] == [("old", 3)]


@ONLY_CONNECT
def test_a_table_of_another_kind_is_not_replaced(place: Place) -> None:
    """A view, or a table of files, in a model's place is left as it is, and the model says so."""
    place.project.build()
    schema = place.project.schema
    place.rows(f"drop table {place.table('ice')}")
    place.rows(f"create view ice.{schema}.ice as select 1 as theirs")
    place.rows(f"drop table {place.table('dlt')}")
    place.rows(f"create table {place.table('dlt')} using parquet as select 1 as theirs")
    refused = place.project.dbt("run")
    assert "a view is in the place of the table" in refused.message("ice")
    assert "a table of the format parquet is in the place" in refused.message("dlt")
    for model in MODELS:
        assert place.rows(f"select * from {place.table(model)}") == [(1,)]
    assert place.staged() == []
