"""The commands of docs/preview.md, after those of the README, as a reader copies them."""

import re
import shlex
import subprocess
from pathlib import Path

from pyspark.sql import SparkSession

from ctas_spark import drop_temporary_function, drop_temporary_view
from functional.dbt_project import Project

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "preview.md").read_text()
BLOCKS = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """The page's blocks of one language."""
    return [text for named, text in BLOCKS.findall(PAGE) if named == language]


def test_the_commands_of_the_page_show_what_it_says(project: Project) -> None:
    """On the README's table, which stays as it is."""
    orders = "{{ config(materialized='atomic_table') }} select id, id * 10 as amount from range(5)"
    project.write({"models/orders.sql": orders})
    project.write_profile(schema="analytics")
    assert project.build().success
    said = ""
    for commands in blocks("sh"):
        *written, command = re.split(r"^(?=dbt )", commands, flags=re.MULTILINE)
        subprocess.run(["bash", "-e", "-c", "".join(written)], cwd=project.directory, check=True)
        said += project.dbt(*shlex.split(command)[1:]).log
    (expected,) = blocks("")
    for line in expected.splitlines():
        assert line in said, said
    assert re.search(r"\|\s*0 \|\s*0 \|", said), said


def test_the_example_in_python_runs(spark: SparkSession) -> None:
    """As it stands there."""
    (code,) = blocks("python")
    exec(code, {"spark": spark})  # noqa: S102 (the page's own)
    assert drop_temporary_view("shop.orders")
    assert drop_temporary_function("plus_one")
