"""Ctrl-C and SIGTERM while Spark starts: the run ends at once, and leaves nothing."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from ctas_spark.engines.embedded import WRITTEN_LAST
from faults.other_process import LOG, other_dbt
from functional.dbt_project import Project
from functional.terminal import steady
from long import long
from readers.session import SMALL

PARSED = re.compile(r"\bFound \d")
STARTS = "Starting Spark X.Y.Z; its log is PROJECT/logs/spark.log\n"
SAID = """Database Error
  [JOB_CANCELED] the run was stopped while Spark was starting
    left: no table was touched, and Spark has ended
"""
RUN = f"Finished running  in TIME.\n[ERROR]: Encountered an error:\n{SAID}"
SHOW = f"[ERROR]: Encountered an error:\n{SAID}"
OPERATION = f"[ERROR]: Encountered an error while running operation: {SAID}"
DEBUG = f"""  Connection test: [ERROR]

1 check failed:
dbt was unable to connect to the specified database.
The database returned the following error:

  >{SAID}
Check your database credentials and try again. For more information, visit:
https://docs.getdbt.com/docs/configure-your-profile


"""


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project that no run has built yet, with an embedded metastore in its own directory."""
    monkeypatch.setenv("DBT_LOG_PATH", str(tmp_path / "logs"))
    project = Project(tmp_path, "shop", SMALL)
    project.write({"models/orders.sql": "{{ config(materialized='table') }} select 1 as n"})
    return project


def starts_spark(project: Project) -> bool:
    """True once the JVM is launched."""
    return "Starting Spark" in (project.directory / LOG).read_text()


def creates_metastore(project: Project) -> bool:
    """True once Derby creates the embedded metastore, in a JVM that answers."""
    return (project.directory / "metastore_db").exists()


def is_half_made(project: Project) -> bool:
    """True if Derby could not open it again: one that it completed before the JVM's end stays."""
    database = project.directory / "metastore_db"
    return database.exists() and not (database / WRITTEN_LAST).exists()


@pytest.mark.parametrize(
    ("command", "sent", "moment", "said"),
    [
        ("run", signal.SIGINT, creates_metastore, RUN),
        long("show --inline select(1)", signal.SIGTERM, starts_spark, SHOW),
        long("run-operation ctas_vacuum", signal.SIGINT, starts_spark, OPERATION),
        ("debug --connection", signal.SIGTERM, starts_spark, DEBUG),
    ],
    ids=["run", "show", "run-operation", "debug"],
)
def test_a_signal_while_spark_starts_leaves_nothing(
    alone: Project,
    command: str,
    sent: signal.Signals,
    moment: Callable[[Project], bool],
    said: str,
) -> None:
    """No JVM, no half-made metastore, no traceback; two lines say that no table was touched."""
    with other_dbt(alone, *command.split()) as run:
        run.wait_until(lambda: moment(alone), "the start")
        run.send(sent)
        code = run.ended()
    _, _, told = steady(run.log.read_text(), alone).partition(STARTS)
    assert told == said
    assert code not in (0, -signal.SIGINT)
    assert (code == -signal.SIGTERM) == (sent is signal.SIGTERM)
    assert not is_half_made(alone)


def test_ctrl_c_while_dbt_parses_ends_the_spark_that_goes_ahead(alone: Project) -> None:
    """It starts during the parse if no metastore has to be created, and its JVM ends with it."""
    (alone.directory / "metastore_db").mkdir()
    os.mkfifo(alone.directory / "models" / "never_read.sql")
    with other_dbt(alone, "run") as run:
        run.wait_until(lambda: starts_spark(alone), "the start")
        run.send(signal.SIGINT)
        assert run.ended() != 0
    assert not PARSED.search(run.log.read_text())
