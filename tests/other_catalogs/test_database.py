"""New tables in PostgreSQL: staged next to their place, and renamed."""

import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ctas_spark import save_as
from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import StagingContext, StagingPurpose
from ctas_spark.engines.calls import NamespaceMissingError
from ctas_spark.errors import (
    CommitRefusedError,
    EntryMissingError,
    MetastoreError,
    StagingError,
)
from ctas_spark.publish.version import Outcome
from fakes.clock import FakeClock
from functional.dbt_project import Project
from other_catalogs.database import NOTHING, cut_off, held, losing_the_answer_to, polled, tables
from other_catalogs.place import NEW, OLD, OLD_ROWS, Place
from readers.session import SMALL
from servers import database
from servers.loopback import free_port
from servers.postgresql import Postgresql
from servers.processes import wait_until

_numbers = itertools.count(1)
ANSWERS_WITHIN_SECONDS = 60.0
STARTS_WITHIN_SECONDS = 180.0
DBT = Path(sys.executable).with_name("dbt")
ROWS = 400

EXPORTED = """
{{ config(materialized='table', staging_purpose=var('purpose', 'create_if_not_exists')) }}
select id, 'sold' as state, java_method('java.lang.Thread', 'sleep', 5L) as slept
from range(0, 400, 1, 8)
{% if var('fails', false) %} where id < 300 or cast(raise_error('no') as boolean) {% endif %}
"""
GROWN = "{{ config(materialized='incremental') }} select 1 as id"
COUNTRIES = "code,name\nDE,Germany\nPT,Portugal\n"
SNAPSHOT = """
snapshots:
  - name: kept
    relation: ref('exported')
    config: {unique_key: id, strategy: check, check_cols: [state]}
"""


@pytest.fixture
def schema(postgresql: Postgresql) -> str:
    """An empty schema of the database."""
    name = f"app_{next(_numbers)}"
    postgresql.execute(f"CREATE SCHEMA {name}")
    return name


@pytest.fixture
def there(spark: SparkSession, run: CatalogsWithJvm, schema: str) -> Place:
    """The same, and its table ``t``, as a run sees it."""
    return Place(spark, "pg", schema, run)


@pytest.fixture
def project(spark: SparkSession, tmp_path: Path, schema: str) -> Project:
    """A project that exports a model to the database."""
    conf = {"spark.app.name": spark.conf.get("spark.app.name") or ""}
    project = Project(tmp_path, schema, conf)
    project.write({"models/exported.sql": EXPORTED})
    project.write_profile(database="pg")
    return project


def test_an_application_sees_no_table_and_then_all_of_it(
    project: Project, postgresql: Postgresql
) -> None:
    """A second run keeps it; the results say how it was published, and at which level."""
    with polled(postgresql, project.schema) as counts:
        first = project.build().response("exported")
        wait_until(lambda: ROWS in counts, ANSWERS_WITHIN_SECONDS, "the table")
    assert set(counts) == {NOTHING, ROWS}
    promised = ("commit_strategy", "atomicity", "conflict_check", "reader_window")
    assert [first[key] for key in promised] == ["rename", "isolated", "cas", "none"]
    assert project.build().response("exported")["outcome"] == "kept"
    assert tables(postgresql, project.schema) == ["exported"]


def test_what_a_database_does_not_do_is_refused(project: Project, postgresql: Postgresql) -> None:
    """A replace, rows that are added, a snapshot; a model that fails leaves nothing."""
    failed = project.dbt("run", fails=True)
    assert not failed.success
    assert tables(postgresql, project.schema) == []
    project.write(
        {
            "models/grown.sql": GROWN,
            "seeds/countries.csv": COUNTRIES,
            "snapshots/kept.yml": SNAPSHOT,
        }
    )
    project.write_profile(database="pg")
    first = project.dbt("build", purpose="create_or_replace")
    assert "the next run of this model will be refused" in first.log
    assert {name: one["status"] for name, one in first.results.items()} == {
        "exported": "success",
        "countries": "success",
        "grown": "error",
        "kept": "error",
    }
    for node in ("grown", "kept"):
        assert "a transaction of its own" in first.message(node)
    again = project.dbt("build", purpose="create_or_replace")
    for node in ("exported", "countries"):
        assert "can't be replaced by one call" in again.message(node)
        assert "staging_purpose: create_if_not_exists" in again.message(node)
    assert tables(postgresql, project.schema) == ["countries", "exported"]


def test_save_as_creates_a_table_too(there: Place, postgresql: Postgresql) -> None:
    """The same commit for a DataFrame."""
    save_as(there.spark.sql(OLD), there.table).create()
    assert there.rows() == OLD_ROWS
    with pytest.raises(StagingError, match="TABLE_ALREADY_EXISTS"):
        save_as(there.spark.sql(NEW), there.table).create()
    assert tables(postgresql, there.schema) == ["t"]


def test_the_comment_of_a_table_is_published_with_it(there: Place, postgresql: Postgresql) -> None:
    """That of persist_docs, whatever is in it."""
    layout = dataclasses.replace(there.context().layout, comment="it's; DROP TABLE t --")
    there.publish(OLD, there.context(layout=layout))
    said = postgresql.execute(f"SELECT obj_description('{there.schema}.t'::regclass)")
    assert said.strip() == layout.comment


def test_a_rename_that_is_cut_off_has_published_nothing(
    there: Place, postgresql: Postgresql
) -> None:
    """Its connection ends while it waits; Spark tells that like a refusal, and it is settled."""
    staged = there.stage(OLD, creating(there))
    name = f"{there.schema}.{staged.verify().table}"
    failures: list[StagingError] = []

    def commit() -> None:
        try:
            staged.commit()
        except StagingError as error:
            failures.append(error)

    with held(postgresql, name):
        thread = threading.Thread(target=commit)
        thread.start()
        wait_until(lambda: "ended" in cut_off(postgresql), ANSWERS_WITHIN_SECONDS, "the rename")
    thread.join(ANSWERS_WITHIN_SECONDS)
    assert [type(error) for error in failures] == [CommitRefusedError]
    staged.abort("failed")
    assert (staged.outcome, tables(postgresql, there.schema)) == (Outcome.NOT_COMMITTED, [])


def test_a_rename_whose_answer_is_lost_is_known_to_have_happened(
    spark: SparkSession, run: CatalogsWithJvm, schema: str, postgresql: Postgresql
) -> None:
    """The target has the number of the staged table."""
    with losing_the_answer_to(b"RENAME TO", postgresql) as deaf:
        there = Place(spark, configured(spark, "deaf", deaf), schema, run)
        staged = there.publish(OLD, creating(there))
        assert (staged.outcome, there.rows()) == (Outcome.COMMITTED, OLD_ROWS)
    assert tables(postgresql, schema) == ["t"]


def test_what_a_killed_run_staged_is_dropped_once_it_is_old(
    there: Place, postgresql: Postgresql
) -> None:
    """By the next run of the model, also if that keeps the table."""
    died, clock = there.stage(NEW, creating(there)), FakeClock()
    there.publish(OLD)
    later = dataclasses.replace(there, opened=CatalogsWithJvm(there.spark, clock=clock))
    assert later.begin(keeping(there)).outcome is Outcome.KEPT
    assert tables(postgresql, there.schema) == ["t", died.verify().table]
    clock.pass_ms(ORPHAN_AGE_MS)
    later.begin(keeping(there))
    assert tables(postgresql, there.schema) == ["t"]
    with pytest.raises(StagingError):
        died.commit()
    assert there.rows() == OLD_ROWS


@pytest.mark.long
def test_a_run_that_is_killed_has_published_nothing(
    tmp_path: Path, postgresql: Postgresql, schema: str
) -> None:
    """Nobody sees any of it; the next run publishes, and a vacuum drops what is left."""
    conf = {**SMALL, **database.driver(), **database.catalog(postgresql)}
    project = Project(tmp_path, schema, conf)
    project.write({"models/exported.sql": EXPORTED})
    project.write_profile(database="pg")
    with polled(postgresql, schema) as counts:
        with other_dbt(project, "run") as killed:
            wait_until(
                lambda: bool(tables(postgresql, schema)), STARTS_WITHIN_SECONDS, "a staged table"
            )
        assert killed.returncode == -signal.SIGKILL
        (staged,) = tables(postgresql, schema)
        with other_dbt(project, "run") as process:
            assert process.wait(STARTS_WITHIN_SECONDS) == 0
    assert set(counts) == {NOTHING, ROWS}
    assert tables(postgresql, schema) == ["exported", staged]
    vacuum = "{model: exported, older_than: 0}"
    with other_dbt(project, "run-operation", "ctas_vacuum", "--args", vacuum) as process:
        assert process.wait(STARTS_WITHIN_SECONDS) == 0
    assert tables(postgresql, schema) == ["exported"]


def test_a_database_that_is_not_there_is_not_an_absent_table(
    spark: SparkSession, run: CatalogsWithJvm, postgresql: Postgresql
) -> None:
    """Nor an absent schema: that it could not be found out is told, and nothing begins."""
    gone = configured(spark, "gone", dataclasses.replace(postgresql, port=free_port()))
    with pytest.raises(MetastoreError) as failed:
        Place(spark, gone, "any", run).begin()
    assert not isinstance(failed.value, NamespaceMissingError | EntryMissingError)


@contextmanager
def other_dbt(project: Project, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """dbt in a process of its own, which is killed at the end, with its JVM."""
    command = [str(DBT), *project.command(*arguments)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def configured(spark: SparkSession, catalog: str, server: Postgresql) -> str:
    """One more catalog of the session; its name."""
    for key, value in database.catalog(server).items():
        spark.conf.set(key.replace(f".{database.CATALOG}", f".{catalog}"), value)
    return catalog


def creating(there: Place) -> StagingContext:
    """A model that creates the table."""
    return there.context(StagingPurpose.CREATE)


def keeping(there: Place) -> StagingContext:
    """A model that keeps it."""
    return there.context(StagingPurpose.CREATE_IF_NOT_EXISTS)
