"""Errors that a user meets on the first day, in a process of their own with a Derby metastore."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from functional.dbt_project import Project
from readers.session import SMALL
from servers.processes import start, stop, wait_until

DBT = Path(sys.executable).with_name("dbt")
JARS = Path(pyspark.__file__).parent / "jars"
CONSOLE = "spark-console.log"
TYPO = "select m from {{ ref('orders') }}"
DERBY_CONSOLE = "org.apache.derby.tools.ij"


@pytest.fixture
def alone(tmp_path: Path) -> Project:
    """A project with an embedded metastore in its own directory."""
    project = Project(tmp_path, "shop", SMALL)
    project.write({"models/orders.sql": "select 1 as n"})
    return project


def dbt(
    project: Project,
    *arguments: str,
    succeeds: bool = False,
    console: bool = False,
    **environment: str,
) -> str:
    """What dbt says in an invocation that has to fail, unless it ``succeeds``.

    With ``console``, what others print is in it, too.
    """
    done = subprocess.run(
        [str(DBT), *project.command(*arguments)],
        cwd=project.directory,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if console else subprocess.DEVNULL,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == succeeds, done.stdout
    return done.stdout


def test_no_java(alone: Project) -> None:
    """Without Java the message says which versions run, and how to install one."""
    said = dbt(alone, "run", JAVA_HOME=str(alone.directory / "nowhere"))
    assert (
        "[SPARK_NOT_STARTED] Spark could not start: no Java was found (JAVA_HOME leads to nothing)"
        in said
    )
    assert "apt-get install openjdk-17-jre-headless" in said
    assert "Traceback" not in said


def test_a_wrong_java(alone: Project) -> None:
    """A Java that this Spark does not run on is named with its version."""
    java = alone.directory / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\nexit 1\n")
    java.chmod(0o755)
    said = dbt(alone, "run", JAVA_HOME=str(alone.directory / "jdk"))
    assert f"{java} is Java 11; PySpark {pyspark.__version__} needs 17 or 21" in said


def test_the_embedded_metastore_is_open_in_another_process(alone: Project) -> None:
    """The message names the process, and the way to serve more than one."""
    database = alone.directory / "metastore_db"
    java = Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"
    holder = start(
        [java, "-cp", f"{JARS}/*", DERBY_CONSOLE],
        alone.directory / "holder.log",
        reads_stdin=True,
        cwd=alone.directory,
    )
    try:
        assert holder.stdin is not None
        holder.stdin.write(f"connect 'jdbc:derby:;databaseName={database};create=true';\n")
        holder.stdin.flush()
        wait_until((database / "db.lck").exists, 60, "an open Derby database")
        said = dbt(alone, "run")
    finally:
        stop(holder)
    assert f"is open in process {holder.pid} (java)" in said
    assert "[METASTORE_IN_USE] the embedded metastore" in said
    assert "spark.hadoop.hive.metastore.uris" in said


def test_a_warehouse_that_is_not_writable(alone: Project) -> None:
    """The message names the path and the setting."""
    alone.write_profile(
        server_side_parameters={**SMALL, "spark.sql.warehouse.dir": "/proc/nowhere"}
    )
    said = dbt(alone, "run")
    assert "[STORAGE_FAILED] the warehouse is not writable" in said
    assert "/proc/nowhere/shop.db" in said


def test_an_error_in_a_query_shows_dbts_lines_only(alone: Project) -> None:
    """No JSON, frame, plan or banner is on the terminal; all of it is in logs."""
    alone.write({"models/orders.sql": "select 1 as n", "models/typo.sql": TYPO})
    said = dbt(alone, "run", console=True)
    lines = [line for line in said.splitlines() if line.strip()]
    strange = [line for line in lines if not re.match(r"\d\d:\d\d:\d\d  |  ", line)]
    assert strange == []
    assert re.search(r"\[UNRESOLVED_COLUMN\S*\] .*`m`", said)
    assert "Relation" not in said
    assert said.count(f"Starting Spark {pyspark.__version__}; its log is ") == 1
    assert "incubator" in Path(os.environ["DBT_LOG_PATH"], CONSOLE).read_text()


def test_an_option_that_java_refuses(alone: Project) -> None:
    """Java's own words are in the message, and where to read on."""
    options = {"spark.driver.extraJavaOptions": "-Xss1x"}
    alone.write_profile(server_side_parameters={**SMALL, **options})
    said = dbt(alone, "run", console=True)
    assert "[SPARK_NOT_STARTED] Spark could not start" in said
    assert "Invalid thread stack size: -Xss1x" in said
    assert str(Path(os.environ["DBT_LOG_PATH"], CONSOLE)) in said
    assert "Traceback" not in said


def test_a_metastore_that_does_not_answer(alone: Project) -> None:
    """Its address, the reason, and what to check, in dbt's lines."""
    uri = "thrift://127.0.0.1:9"
    conf = {**SMALL, "spark.hadoop.hive.metastore.uris": uri}
    alone.write_profile(server_side_parameters=conf)
    said = dbt(alone, "run", console=True)
    assert f"[METASTORE_NOT_REACHED] no Hive metastore answers at {uri}: Connection refused" in said
    assert "check host and port" in said
    assert "Exception" not in said


def test_a_location_that_is_not_writable(project: Project) -> None:
    """A model's own location is tried before its job starts."""
    occupied = project.directory / "a file"
    occupied.write_text("")
    model = "{{ config(materialized='table', location_root=var('root')) }} select 1 as n"
    project.write({"models/orders.sql": model})
    message = project.dbt("run", root=str(occupied)).message("orders")
    assert "[STORAGE_FAILED] the storage refused to write" in message
    assert "nothing was published" in message


def test_debug_in_a_fresh_process(alone: Project) -> None:
    """The first command of all says what was found, before anything has touched the metastore."""
    said = dbt(alone, "debug", succeeds=True)
    assert "Hive, embedded (jdbc:derby:" in said
    assert "atomicity: up to isolated, conflict check cas" in said


def test_wrong_profile_fields_are_named_together(alone: Project) -> None:
    """Unknown and contradictory fields of a profile are all reported at once."""
    conf = {"spark.sql.defaultCatalog": "ice"}
    alone.write_profile(hots="x", method="odbc", server_side_parameters=conf)
    said = dbt(alone, "debug")
    assert "[INVALID_PROFILE] 3 errors in the profile" in said
    assert "unknown field 'hots': did you mean 'host'?" in said
    assert "method: 'odbc' is not available" in said
    assert "spark.sql.defaultCatalog is not used; set database: ice instead" in said
