"""Errors that a user meets on the first day, in a process of their own with a Derby metastore."""

import os
from pathlib import Path

import pyspark
import pytest

from functional.dbt_project import Project
from functional.terminal import shown
from readers.session import SMALL
from servers.answering import answering
from servers.delta import delta_session
from servers.processes import start, stop, wait_until
from servers.webhook import webhook

JARS = Path(pyspark.__file__).parent / "jars"
SEE_CONSOLE = (
    "  left: nothing was started\n"
    "  to do: check Java, its options, and spark_conf of the profile; everything that it printed "
    "is at the end of PROJECT/logs/spark-console.log\n"
)
NO_REGISTRY = """<ivysettings>
  <settings defaultResolver="empty"/>
  <resolvers>
    <filesystem name="empty"><artifact pattern="/nowhere/[artifact].[ext]"/></filesystem>
  </resolvers>
</ivysettings>"""
OURS = "(this adapter's default)"
DERBY_CONSOLE = "org.apache.derby.tools.ij"


@pytest.fixture
def alone(tmp_path: Path) -> Project:
    """A project with an embedded metastore in its own directory."""
    project = Project(tmp_path, "shop", SMALL)
    project.write({"models/orders.sql": "select 1 as n"})
    return project


def refused(error: str, *, spark_starts: bool = True, while_dbt_parses: bool = False) -> str:
    """The whole terminal of a ``dbt run`` that ends before its first model."""
    starts = "CtasSpark adapter: Starting Spark X.Y.Z; its log is PROJECT/logs/spark.log\n"
    lines = "".join(f"  {line}\n" for line in error.splitlines())
    return (
        f"{starts * while_dbt_parses}Concurrency: 2 threads (target='test')\n"
        f"{starts * (spark_starts and not while_dbt_parses)}"
        f"Finished running  in TIME.\n[ERROR]: Encountered an error:\nDatabase Error\n{lines}"
    )


def without_java(reason: str) -> str:
    """The whole terminal, with the versions that run, and how to install one."""
    return refused(
        f"[SPARK_NOT_STARTED] Spark could not start: {reason}; PySpark X.Y.Z needs 17 or 21\n"
        "  left: nothing was started\n"
        "  to do: apt-get install openjdk-17-jre-headless, or set JAVA_HOME to a Java of that "
        "version\n"
    )


def test_no_java(alone: Project) -> None:
    """Without Java the message says where it was looked for."""
    said = shown(alone, "run", JAVA_HOME=str(alone.directory / "nowhere"))
    assert said == without_java("no Java was found (there is none in JAVA_HOME, PROJECT/nowhere)")


@pytest.mark.long
def test_a_wrong_java(alone: Project) -> None:
    """A Java that this Spark does not run on is named with its version."""
    java = alone.directory / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\nexit 1\n")
    java.chmod(0o755)
    said = shown(alone, "run", JAVA_HOME=str(alone.directory / "jdk"))
    assert said == without_java("PROJECT/jdk/bin/java is Java 11")


@pytest.mark.long
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
        said = shown(alone, "run")
    finally:
        stop(holder)
    assert said == refused(
        f"[METASTORE_IN_USE] the embedded metastore PROJECT/metastore_db is open in process "
        f"{holder.pid} (java): an embedded metastore serves one process at a time\n"
        "  left: nothing was changed\n"
        "  to do: end that process, or use a remote metastore: set "
        "spark.hadoop.hive.metastore.uris in spark_conf of the profile\n",
        while_dbt_parses=True,
    )


@pytest.mark.long
def test_a_warehouse_that_is_not_writable(alone: Project) -> None:
    """The message names the path and the setting."""
    alone.write_profile(
        server_side_parameters={**SMALL, "spark.sql.warehouse.dir": "/proc/nowhere"}
    )
    said = shown(alone, "run")
    assert said == refused(
        "[STORAGE_FAILED] the warehouse is not writable: Unable to create database path "
        "file:/proc/nowhere/shop.db, failed to create database shop\n"
        "  left: nothing was created\n"
        "  to do: set spark.sql.warehouse.dir in spark_conf of the profile to a directory that "
        "you may write\n"
        "  schema shop could not be created; it is the schema of orders\n"
    )


@pytest.mark.long
def test_an_option_that_java_refuses(alone: Project) -> None:
    """Java's own words are in the message, and where to read on."""
    options = {"spark.driver.extraJavaOptions": "-Xss1x"}
    alone.write_profile(server_side_parameters={**SMALL, **options})
    said = shown(alone, "run")
    assert said == refused(
        "[SPARK_NOT_STARTED] Spark could not start: Invalid thread stack size: -Xss1x\n"
        "Error: Could not create the Java Virtual Machine.\n"
        f"Error: A fatal exception has occurred. Program will exit.\n{SEE_CONSOLE}"
    )


@pytest.mark.long
def test_delta_without_its_settings(alone: Project) -> None:
    """Where the jar is there and nothing else, the line of the profile comes first."""
    jars = {"spark.jars": delta_session()["spark.jars"]}
    alone.write_profile(server_side_parameters={**SMALL, **jars})
    config = "materialized='table', file_format='delta'"
    alone.write({"models/orders.sql": f"{{{{ config({config}) }}}} select 1 as n"})
    said = shown(alone, "run")
    assert "  to do: in a dbt profile, add formats: [delta]" in said, said


def test_a_metastore_that_does_not_answer(alone: Project) -> None:
    """Its address, the reason, and what to check, in dbt's lines."""
    uri = "thrift://127.0.0.1:9"
    conf = {**SMALL, "spark.hadoop.hive.metastore.uris": uri}
    alone.write_profile(server_side_parameters=conf)
    said = shown(alone, "run")
    assert said == refused(
        f"[METASTORE_NOT_REACHED] no Hive metastore answers at {uri}: Connection refused\n"
        "  left: nothing was changed\n"
        "  to do: check host and port (spark.hadoop.hive.metastore.uris in spark_conf of the "
        "profile), that the metastore is running, and that this machine can reach it\n",
        while_dbt_parses=True,
    )


def test_other_programs_at_the_address_of_a_metastore(alone: Project) -> None:
    """Each is named with what it speaks; Hive's client would wait for ten minutes, or say less."""
    with webhook() as (address, _), answering(b"\x15\x03\x03\x00\x02\x02\x46") as port:
        uris = f"thrift://{address},thrift://127.0.0.1:{port}"
        conf = {**SMALL, "spark.hadoop.hive.metastore.uris": uris}
        alone.write_profile(server_side_parameters=conf)
        said = shown(alone, "run")
    assert said == refused(
        f"[METASTORE_NOT_REACHED] no Hive metastore answers at {uris}: {address}: the server "
        f"speaks HTTP at this port, and not Thrift; 127.0.0.1:{port}: the server speaks TLS at "
        "this port (a metastore with TLS needs spark.hadoop.hive.metastore.use.SSL: true)\n"
        "  left: nothing was changed\n"
        "  to do: check host and port (spark.hadoop.hive.metastore.uris in spark_conf of the "
        "profile)\n",
        while_dbt_parses=True,
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the server speaks HTTP at this port"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "it probably speaks another protocol at this port"),
    ],
    ids=["http", "tls"],
)
def test_other_programs_at_the_address_of_spark_connect(
    alone: Project, answer: bytes, said: str
) -> None:
    """What they probably are is said before gRPC's own words."""
    with answering(answer) as port:
        alone.write_profile(
            method="connect", host="127.0.0.1", port=port, server_side_parameters={}
        )
        told = shown(alone, "run")
    assert "[SERVER_NOT_REACHED] the Spark Connect server of this profile does not answer" in told
    assert said in told


def test_masters_that_do_not_answer(alone: Project) -> None:
    """Their addresses, why the last is none, and what to check, before a JVM is started."""
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        masters = f"spark://127.0.0.1:9,127.0.0.1:{port}"
        alone.write_profile(server_side_parameters={**SMALL, "spark.master": masters})
        said = shown(alone, "run")
    assert said == refused(
        f"[SERVER_NOT_REACHED] no Spark master answers at {masters}: what listens there does not "
        "speak Spark's protocol\n"
        "  left: nothing was started\n"
        "  to do: check host and port (spark.master in spark_conf of the profile), that the master "
        "is running, and that this machine can reach it\n",
        spark_starts=False,
    )


def test_jars_that_spark_could_not_read(alone: Project) -> None:
    """Their paths, before a JVM is started that would miss their classes much later."""
    page = alone.directory / "delta.jar"
    page.write_text("<html>404</html>")
    jars = {"spark.jars": f"{alone.directory}/iceberg.jar,{page}"}
    alone.write_profile(server_side_parameters={**SMALL, **jars})
    assert shown(alone, "run") == refused(
        "[INVALID_PROFILE] 2 errors in the profile; nothing was started:\n"
        "  - spark.jars: there is no file PROJECT/iceberg.jar\n"
        "  - spark.jars: PROJECT/delta.jar is not a jar\n",
        spark_starts=False,
    )


def test_a_package_that_no_registry_has(alone: Project) -> None:
    """What could not be resolved, and not how it was looked for."""
    ivy = alone.directory / "ivysettings.xml"
    ivy.write_text(NO_REGISTRY)
    asked = {"spark.jars.packages": "nobody:nothing:1.0", "spark.jars.ivySettings": str(ivy)}
    alone.write_profile(server_side_parameters={**SMALL, **asked})
    assert shown(alone, "run") == refused(
        "[SPARK_NOT_STARTED] Spark could not start: [unresolved dependency: nobody#nothing;1.0: "
        f"not found]\n{SEE_CONSOLE}"
    )


def test_a_location_that_is_not_writable(project: Project) -> None:
    """A model's own location is tried before its job starts, and one that can't be before all."""
    model = "{{ config(materialized='table', location_root=%r, staging_schema=%r) }} select 1 as n"
    roots = {"orders": "/proc/nowhere", "relative": "data", "unknown": "nosuch://data"}
    roots["elsewhere"] = "file://./data"
    named = {one: f"{project.schema}__{one}" for one in roots}
    project.write({f"models/{one}.sql": model % (roots[one], named[one]) for one in roots})
    ran = project.dbt("run")
    assert "[STORAGE_FAILED] the storage refused to write" in ran.message("orders")
    assert "no job was started" in ran.message("orders")
    assert "location_root: 'data' is relative" in ran.message("relative")
    for one in ("unknown", "elsewhere"):
        assert f"location_root {roots[one]} can't be used" in ran.message(one)
    made = {row.namespace for row in project.rows("show schemas")}
    assert made & {*named.values()} == {named["orders"]}


@pytest.mark.long
def test_debug_in_another_directory(
    alone: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The first command of all says what was found, and where the tables of the project are.

    A metastore in the working directory, where dbt-spark has it, is named and not used.
    """
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "metastore_db").mkdir()
    said = shown(alone, "debug", succeeds=True, inside=elsewhere).replace(str(elsewhere), "HERE")
    assert (
        f"catalog: spark_catalog, Hive, embedded (jdbc:derby:PROJECT/metastore_db) {OURS}\n" in said
    )
    assert f"warehouse: file:PROJECT/spark-warehouse {OURS}\n" in said
    assert "atomicity: up to isolated, conflict check cas" in said
    assert said.count("the metastore HERE/metastore_db, in the working directory, is not used") == 1
    assert (alone.directory / "metastore_db" / "service.properties").exists()
    assert [one.name for one in elsewhere.rglob("*")] == ["metastore_db"]


def test_wrong_profile_fields_are_named_together(alone: Project) -> None:
    """Unknown and contradictory fields of a profile are all reported at once."""
    conf = {"spark.sql.defaultCatalog": "ice"}
    alone.write_profile(hots="x", method="odbc", server_side_parameters=conf)
    said = shown(alone, "debug")
    assert "[INVALID_PROFILE] 3 errors in the profile" in said
    assert "unknown field 'hots': did you mean 'host'?" in said
    assert "method: 'odbc' is not available" in said
    assert "spark.sql.defaultCatalog is not used; set database: ice instead" in said


def test_a_hook_that_could_never_write_is_refused_before_spark_starts(alone: Project) -> None:
    """And not when the first table has been published."""
    missing = {"hook": "json_lines", "path": str(alone.directory / "nowhere" / "lines.jsonl")}
    alone.write_profile(hooks=[missing])
    said = shown(alone, "run")
    assert "[INVALID_PROFILE] 1 error in the profile; nothing was started" in said
    assert "hooks: json_lines: the directory of its path does not exist" in said
    assert "Starting Spark" not in said
