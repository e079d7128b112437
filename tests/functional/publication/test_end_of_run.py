"""What a terminal shows at the end of a run: the tables that it wrote."""

import re

import pytest

from contract.claims import SWAPS
from functional.dbt_project import Project
from functional.terminal import steady

MODELS = {
    "seeds/codes.csv": "code\n1\n2\n",
    "models/a_orders.sql": "{{ config(materialized='atomic_table') }} "
    "select id from range({{ var('n') }} * 1000)",
    "models/b_grown.sql": "{{ config(materialized='incremental', "
    "pre_hook='insert into {{ target.schema }}.a_orders values (7), (8)', "
    "post_hook='insert into {{ this }} values (9), (10)') }} "
    "select id from range(3)",
    "models/c_in_place.sql": "{{ config(materialized='table', atomicity='none') }} select 1 as n",
    "models/d_view.sql": "{{ config(materialized='view') }} select 1 as n",
    "models/e_fails.sql": "{{ config(materialized='table') }} select raise_error('no') as n",
    "models/f_hook_fails.sql": "{{ config(materialized='table', "
    "post_hook='select * from no_such_table') }} select 1 as n",
}
LEVEL = "isolated" if SWAPS else "atomic"
LISTED = f"""\
Tables written by this run:
| model | version | rows | size | level | seconds |
| - | - | - | - | - | - |
| a_orders | VERSION | 2,000 | SIZE | {LEVEL} | TIME |
| b_grown | | 3 | SIZE | none | TIME |
| c_in_place | VERSION | 1 | SIZE | none | TIME |
| f_hook_fails | VERSION | 1 | SIZE | {LEVEL} | TIME |
| codes | VERSION | 2 | SIZE | {LEVEL} | TIME |
Tables at level none were written in place; with atomicity: isolated, one commit publishes all rows.
"""
WIDTHS = (
    (r" +", " "),
    (r"-{2,}", "-"),
    (r" [\d.]+ K?B \|", " SIZE |"),
    (r" \d+\.\d \|$", " TIME |"),
)


def at_the_end(project: Project, capsys: pytest.CaptureFixture[str], *command: str, n: int) -> str:
    """What is printed between the last node's line and dbt's own summary."""
    capsys.readouterr()
    project.dbt(*command, n=n)
    said = steady(capsys.readouterr().out, project)
    *_, said = re.split(r"^\d of \d .* in TIME\]\n", said, flags=re.MULTILINE)
    for pattern, instead in WIDTHS:
        said = re.sub(pattern, instead, said, flags=re.MULTILINE)
    return said.partition("Finished running")[0]


def test_a_build_ends_with_the_tables_that_it_wrote(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Staged or not, with the rows that it wrote itself; one field of the profile turns it off."""
    project.write(MODELS)
    project.write_profile(threads=1, publications_table=False)
    assert at_the_end(project, capsys, "run", "--select=a_orders b_grown", n=1) == ""
    project.write_profile(threads=1)
    assert at_the_end(project, capsys, "build", n=2) == LISTED
