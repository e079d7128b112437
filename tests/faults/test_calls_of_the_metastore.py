"""What a node asks of a metastore with a server, next to what dbt-spark asks."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg

from functional.dbt_project import Project
from servers.proxy import Proxy

TABLE = "{{ config(materialized='table') }} select {{ var('n', 1) }} as id"
ADDED = (
    "{{ config(materialized='incremental', incremental_strategy='%s'%s) }} select {{ var('n', 1) }}"
    " as id, 1 as part, timestamp'2026-01-01 12:00:00' as at, date'2026-01-01' as day"
)
BATCH = ", event_time='at', batch_size='day', begin='2026-01-01', partition_by='day'"
BOTH = {
    "appended": ("append", ""),
    "replaced": ("insert_overwrite", ""),
    "overwritten": ("insert_overwrite", ", partition_by='part'"),
    "batched": ("microbatch", BATCH),
}
"""What dbt-spark can add to tables of files, too."""
KEYED = {
    "merged": ("merge", ", unique_key='id'"),
    "deleted": ("delete+insert", ", unique_key='id'"),
}
SNAPSHOTS = "snapshots: [%s]"
SNAPSHOT = (
    "{name: %s, relation: ref('table_1'), "
    "config: {unique_key: id, strategy: check, check_cols: [id]}}"
)
MOST = {"merged": 26, "deleted": 26, "kept": 50}
"""Where dbt-spark has no statement, what it took before the columns of added rows were checked."""
DAY = "--event-time-start=2026-01-01", "--event-time-end=2026-01-02"


@pytest.mark.long
def test_no_node_takes_more_calls_than_with_dbt_spark(
    tmp_path: Path, conf: dict[str, str], proxy: Proxy
) -> None:
    """A table, built and built again, and rows added in place by each strategy.

    What dbt-spark can't do with files takes no more calls than it did.
    """
    stock, ours = (
        calls_of(Project(tmp_path / adapter, f"beside_{adapter}", conf), adapter, proxy)
        for adapter in ("spark", "ctas_spark")
    )
    most = [{**counted, **MOST} for counted in stock]
    for counted, at_most in zip(ours, most, strict=True):
        over = {kind: calls for kind, calls in counted.items() if calls > at_most[kind]}
        assert over == {}, (stock, ours)


def calls_of(project: Project, adapter: str, proxy: Proxy) -> list[dict[str, int]]:
    """The calls of one node of each kind in a first run, and in the third one."""
    kinds = {**BOTH, **(KEYED if adapter == "ctas_spark" else {})}
    models = {kind: ADDED % how for kind, how in kinds.items()} | {"table": TABLE}
    files = {f"models/{kind}_{n}.sql": sql for kind, sql in models.items() for n in (1, 2)}
    if adapter == "ctas_spark":
        kept = ", ".join(SNAPSHOT % f"kept_{n}" for n in (1, 2))
        files["snapshots/kept.yml"] = SNAPSHOTS % kept
    project.write(files)
    project.write_profile(adapter, threads=1)
    runs = [of_nodes(project, proxy, n) for n in (1, 2, 3)]
    later = [kind for kind in runs[-1] if kind != "table"]
    return [{"table": runs[0]["table"]}, {kind: runs[-1][kind] for kind in ("table", *later)}]


def of_nodes(project: Project, proxy: Proxy, n: int) -> Mapping[str, int]:
    """The calls of the second node of each kind: the first one may open something for all."""
    begun: dict[str, int] = {}
    calls: dict[str, int] = {}

    def note(event: EventMsg) -> None:
        if event.info.name in ("NodeStart", "NodeFinished"):
            node = event.data.node_info.node_name
            begun.setdefault(node, proxy.calls)
            calls[node] = proxy.calls - begun[node]

    asked = project.command("build", *DAY, n=n)
    assert dbtRunner(callbacks=[note]).invoke(asked).success
    return {name.removesuffix("_2"): number for name, number in calls.items() if "_2" in name}
