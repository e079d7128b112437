"""Wrong configuration is refused before any job, every problem at once."""

import os
from pathlib import Path

from pyspark.sql import SparkSession

from ctas_spark.engines.standalone import require_master
from functional.dbt_project import SECRET, Project
from functional.outside import Outside


def test_all_problems_of_a_model_are_reported_together(project: Project, outside: Outside) -> None:
    """Each wrong value is named with what would be right, and nothing is built.

    A database that Spark does not have, or a schema that it can't make, stops only runs that
    select a node of it, and is named with those nodes. No schema for records is made.
    """
    model = (
        "{{ config(materialized='atomic_table', atomicity='isolatd', staging_purpose='upsert', "
        "file_format='hudi', partition_metadata='hive', iceberg_catalogs=3, "
        "atomicty='none', partitionedBy='n', tblproperties={'ctas_spark_x': 1}) }} select 1 as n"
    )
    elsewhere = "{{ config(materialized='table', database='lake') }} select 1 as n"
    misplaced = "{{ config(materialized='table', schema='mar t') }} select 1 as n"
    meant = "{{ config(materialized='table', atomicity='versions') }} select 1 as n"
    written = {"orders": model, "elsewhere": elsewhere, "misplaced": misplaced, "meant": meant}
    for name in ("delta", "iceberg"):
        written[name] = (
            f"{{{{ config(materialized='table', file_format='{name}') }}}} select 1 as n"
        )
    project.write({f"models/{name}.sql": text for name, text in written.items()})
    refused = project.dbt("run")
    said = "database 'lake': Spark has no catalog of that name; it is the database of elsewhere"
    assert said in str(refused.exception) + refused.log
    refused = project.dbt("run", "--select=misplaced")
    said = f"schema {project.schema}_mar t could not be created; it is the schema of misplaced"
    assert said in str(refused.exception) + refused.log
    refused = project.dbt("run", "--select", "orders", "meant", "delta", "iceberg")
    said = refused.message("meant")
    assert "atomicity: 'versions' is not one of " in said
    assert said.endswith("; did you mean isolated?")
    for name in ("delta", "iceberg"):
        assert "[FORMAT_NOT_FOUND] Spark has no classes of " in refused.message(name)
        assert f"to do: in a dbt profile, add formats: [{name}]" in refused.message(name)
    message = refused.message("orders")
    assert "[INVALID_CONFIGURATION] 8 configuration errors" in message
    for said in (
        "atomicity: 'isolatd' is not one of none, atomic, isolated, auto; did you mean isolated?",
        "staging_purpose: 'upsert' is not one of ",
        "file_format: 'hudi' reaches no level",
        "partition_metadata: 'hive' is not one of auto",
        "iceberg_catalogs: belongs in the profile",
        "atomicty: unknown; did you mean atomicity?",
        "partitionedBy: unknown; did you mean partition_by?",
        "tblproperties: 'ctas_spark_x' is reserved",
    ):
        assert said in message
    assert outside.tables() == []
    made = [row.namespace for row in project.rows("show schemas")]
    assert not [name for name in made if name.startswith(f"{project.schema}_")]


def test_debug_says_what_was_found_and_hides_secrets(project: Project) -> None:
    """dbt debug names Spark, Java, catalog and level, and no secret of spark_conf."""
    project.write({})
    run = project.dbt("debug")
    assert run.success, run.log
    for said in ("spark: 4.", "java: ", "Hive, remote at thrift://127.0.0.1", "up to isolated"):
        assert said in run.log
    assert SECRET not in run.log
    assert SECRET not in (project.directory / "logs" / "dbt.log").read_text()


def test_a_secret_reaches_spark_and_not_its_command_line(project: Project) -> None:
    """A secret of spark_conf is set, and no other user of the machine can read it with ps."""
    project.write({})
    assert project.dbt("debug").success
    assert SparkSession.active().sparkContext.getConf().get("spark.hadoop.some.password") == SECRET
    lines = [Path(f"/proc/{pid}/cmdline") for pid in _children(os.getpid())]
    commands = [line.read_bytes().decode(errors="replace") for line in lines]
    assert any("org.apache.spark.deploy.SparkSubmit" in command for command in commands)
    assert not any(SECRET in command for command in commands)


def _children(pid: int) -> list[str]:
    return [
        child
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def test_a_server_of_spark_s_is_taken_for_a_master(spark: SparkSession) -> None:
    """A driver speaks the same protocol; nothing is started that a master would refuse."""
    port = spark.sparkContext.getConf().get("spark.driver.port")
    require_master({"spark.master": f"spark://127.0.0.1:{port}"})
