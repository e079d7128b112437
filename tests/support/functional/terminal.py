"""What a user's terminal shows of a dbt process, in words that are the same in every run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pyspark

from functional.dbt_project import Project

DBT = Path(sys.executable).with_name("dbt")
START = re.compile(r"\d\d:\d\d:\d\d  (Running with|Registered|Unable to do partial|Found|$)")
"""dbt's first lines, which no error changes, and its empty ones."""
CHANGES = (
    (r"^\d\d:\d\d:\d\d  ", ""),
    (r" \.{3,} ", " .. "),
    (r"\d{8}t\d{6}x[0-9a-f]{8}", "VERSION"),
    (r" in [\d.]+s\]", " in TIME]"),
    (r" in \d+ hours.*", " in TIME."),
    (r" +$", ""),
    (r"/s[0-9a-f]{12}", "/ID"),
    (r"/attempt_\w+", "/ATTEMPT"),
    (r"\(\S+ executor driver\)", "(HOST)"),
)
FAILED = """\
{starts}Concurrency: 2 threads (target='test')
1 of 1 START sql atomic_table model shop.numbered .. [RUN]
1 of 1 ERROR creating sql atomic_table model shop.numbered .. [ERROR in TIME]
Finished running 1 atomic table model in TIME.
Completed with 1 error, 0 partial successes, and 0 warnings:
[ERROR]: in model numbered (models/numbered.sql)
  Database Error in model numbered (models/numbered.sql)
{error}
    outcome: nothing was published; version VERSION was discarded, and shop.numbered still holds \
version VERSION
  compiled code at target/run/tested/models/numbered.sql
  compiled code at target/compiled/tested/models/numbered.sql
Done. PASS=0 WARN=0 ERROR=1 SKIP=0 NO-OP=0 REUSED=0 TOTAL=1
"""
"""All that is shown of a run whose only model fails in its job, over an older version."""


def shown(
    project: Project,
    *arguments: str,
    succeeds: bool = False,
    inside: Path | None = None,
    **environment: str,
) -> str:
    """All that dbt, or the JVM that it starts, prints in an invocation that has to fail.

    Args:
        inside: the working directory; without it the project's.
    """
    logs = {"DBT_LOG_PATH": str(project.directory / "logs"), "DBT_ENGINE_HINTS_ENABLED": "false"}
    done = subprocess.run(
        [str(DBT), *project.command(*arguments)],
        cwd=inside or project.directory,
        env={**os.environ, **logs, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == succeeds, done.stdout
    return steady(done.stdout, project)


def steady(text: str, project: Project) -> str:
    """Without times, durations, versions, directories and widths."""
    text = "\n".join([*(line for line in text.splitlines() if not START.match(line)), ""])
    for pattern, instead in CHANGES:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    text = text.replace(str(project.directory), "PROJECT")
    return text.replace(pyspark.__version__, "X.Y.Z").replace(project.schema, "shop")
