"""The profiles of docs/iceberg.md and docs/delta.md, as a newcomer copies them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from readers.session import SMALL

DOCS = Path(__file__).parents[3] / "docs"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
PROFILE = re.compile(r"^```yaml\n(# profiles\.yml\n.*?)^```$", re.DOTALL | re.MULTILINE)
OF_THE_MACHINE = f"{JAVA_OPTIONS} {SMALL[JAVA_OPTIONS]}\n"
"""A file that a newcomer does not have: several JVMs share the machine of a test."""
PROJECT = """
name: shop
version: "1.0.0"
profile: shop
"""
BUILD_TWICE = """
from dbt.cli.main import dbtRunner
for _ in range(2):
    dbtRunner().invoke(["--no-use-colors", "build"])
"""
ROWS = "select id, id * 10 as amount from range(5)"
SNAPSHOT = """
{{% snapshot orders_then %}}
{{{{ config(target_schema='analytics', strategy='check', unique_key='id', check_cols='all',
            file_format='{name}') }}}}
select * from {{{{ ref('orders') }}}}
{{% endsnapshot %}}
"""


@pytest.mark.long
@pytest.mark.parametrize("name", ["iceberg", "delta"])
def test_a_documented_profile_builds_every_kind_of_node_twice(name: str, tmp_path: Path) -> None:
    """On the embedded metastore that a newcomer has: the format's own nodes and plain ones."""
    (profile,) = PROFILE.findall((DOCS / f"{name}.md").read_text())
    files = {
        "profiles.yml": profile,
        "dbt_project.yml": PROJECT,
        "conf/spark-defaults.conf": OF_THE_MACHINE,
        "seeds/names.csv": "id,name\n1,a\n2,b\n",
        "models/orders.sql": f"{{{{ config(materialized='table', file_format='{name}') }}}} {ROWS}",
        "models/plain.sql": "{{ config(materialized='table') }} select * from {{ ref('names') }}",
        "models/seen.sql": "select * from {{ ref('orders') }} join {{ ref('names') }} using (id)",
        "models/grown.sql": "{{ config(materialized='incremental', unique_key='id', "
        f"incremental_strategy='merge', file_format='{name}') }}}} {ROWS}",
        "snapshots/orders_then.sql": SNAPSHOT.format(name=name),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    said = built_twice(tmp_path)
    assert said.count("Done. PASS=6 WARN=0 ERROR=0") == 2, said


def built_twice(project: Path) -> str:
    """What dbt says, in a process of its own: a JVM has the jars of a format from its start."""
    done = subprocess.run(
        [sys.executable, "-c", BUILD_TWICE],
        cwd=project,
        env={**os.environ, "SPARK_CONF_DIR": str(project / "conf")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout
