"""What users' own code is told of a run."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from functional.dbt_project import Project
from servers.webhook import webhook

PAGE = Path(__file__).parents[3] / "docs" / "hooks.md"
TABLE = "{{ config(materialized='table') }} "
FILES = {
    "seeds/codes.csv": "code\n1\n2\n",
    "models/between.sql": "{{ config(materialized='ephemeral') }} select * from {{ ref('codes') }}",
    "models/orders.sql": f"{TABLE} select id, 'x' as name from range(7)",
    "models/joined.sql": f"{TABLE} select o.id from {{{{ ref('orders') }}}} o, "
    "{{ ref('between') }} b where b.code = o.id",
    "models/grown.sql": "{{ config(materialized='incremental') }} select id from range(3)",
    "models/shown.sql": "{{ config(materialized='view') }} select 1 as n",
    "models/coded.py": "def model(dbt, session):\n    return session.range(4)\n",
    "snapshots/kept.yml": "snapshots: [{name: kept, relation: ref('orders'), config: "
    "{unique_key: id, strategy: check, check_cols: all}}]",
    "models/broken.sql": f"{TABLE} select raise_error('no') as n from {{{{ ref('orders') }}}}",
}
BAD_HOOK = """
class Bad:
    def on_finished(self, event):
        raise ValueError(f"no room for {event.path[2]}")
"""


def own_hook() -> str:
    """The module that docs/hooks.md shows."""
    (shown,) = re.findall(r"```python\n# pager\.py\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(shown)


def by_node(told: list[Any]) -> dict[str, Any]:
    """The last line of each node, by its name."""
    return {one["node_id"].split(".")[-1]: one for one in told}


def test_a_run_tells_every_hook_of_every_table(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file, a webhook, OpenLineage, the hook of docs/hooks.md, and one that raises.

    The run's results are those of a run without hooks. Views have no events.
    """
    lineage = tmp_path / "lineage.jsonl"
    for name, value in (("TYPE", "file"), ("LOG_FILE_PATH", str(lineage)), ("APPEND", "true")):
        monkeypatch.setenv(f"OPENLINEAGE__TRANSPORT__{name}", value)
    lines, alerts = tmp_path / "publications.jsonl", tmp_path / "alerts.txt"
    project.write({**FILES, "pager_of_shop.py": own_hook(), "bad_hook.py": BAD_HOOK})
    with webhook() as (address, got):
        hooks = [
            {"hook": "json_lines", "path": str(lines)},
            {"hook": "json_lines", "url": f"http://{address}/in?token=hush-2"},
            "openlineage",
            {"hook": "pager_of_shop:Pager", "file": str(alerts)},
            "bad_hook:Bad",
        ]
        project.write_profile(hooks=hooks, threads=1)
        run = project.dbt("build")
        again = project.dbt("run", "--select=grown")

    assert {name: run.results[name]["status"] for name in ("orders", "joined", "broken")} == {
        "orders": "success",
        "joined": "success",
        "broken": "error",
    }
    told = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [json.loads(body) for _, _, body in got] == told
    found = by_node(told)
    assert set(found) == {"codes", "orders", "joined", "grown", "coded", "kept", "broken"}
    assert (found["coded"]["rows"], found["kept"]["rows"]) == (4, 7)
    orders, joined, grown = found["orders"], found["joined"], found["grown"]
    response = run.response("orders")
    assert orders["state"] == "finished"
    assert orders["path"] == ["spark_catalog", project.schema, "orders"]
    for name in ("outcome", "version", "bytes", "files"):
        assert orders[name] == response[name], name
    assert (orders["rows"], orders["level"]) == (7, response["atomicity"])
    columns = {one["name"]: one["type"] for one in orders["columns"]}
    assert columns == {"id": "bigint", "name": "string"}
    assert [one["path"][2] for one in joined["inputs"]] == ["orders", "codes"]
    assert joined["inputs"][0]["version"] == orders["version"]
    assert found["codes"]["rows"] == 2
    assert again.success
    assert (grown["state"], grown["level"], grown["rows"]) == ("finished", "none", 3)
    assert (found["broken"]["state"], found["broken"]["outcome"]) == ("failed", "not_committed")
    assert "no" in found["broken"]["error"]["message"]

    events = [json.loads(line) for line in lineage.read_text().splitlines()]
    of_orders = [one for one in events if one["job"]["name"] == "model.tested.orders"]
    assert [one["eventType"] for one in of_orders] == ["START", "COMPLETE"]
    facets = of_orders[1]["outputs"][0]["facets"]
    assert facets["version"]["datasetVersion"] == orders["version"]
    assert [one["name"] for one in facets["schema"]["fields"]] == ["id", "name"]
    of_broken = [one for one in events if one["job"]["name"] == "model.tested.broken"]
    assert [one["eventType"] for one in of_broken] == ["START", "FAIL"]

    assert alerts.read_text().startswith(f"{project.schema}.broken failed: ")
    assert run.log.count("hook bad_hook:Bad failed 6 times, first for ") == 1
    assert "hook bad_hook:Bad failed 6 times, first for" in run.log
    assert ": on_finished raised ValueError: no room for" in run.log
    assert "hush-2" not in run.log


def test_a_hook_that_does_not_exist_ends_the_run_before_it_begins(project: Project) -> None:
    """The error names every one, and what can be used."""
    project.write({"models/orders.sql": FILES["models/orders.sql"]})
    project.write_profile(
        hooks=["jason", {"hook": "json_lines"}, {"hook": "json_lines", "pth": "a"}]
    )
    run = project.dbt("run")
    assert not run.success
    assert "[INVALID_PROFILE] 3 errors in the profile" in str(run.exception)
    assert "json_lines: unknown pth; it takes path, url" in str(run.exception)
    assert "jason: there is no such hook; use one of json_lines, openlineage" in str(run.exception)
