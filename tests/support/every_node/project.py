"""A dbt project with a node of every kind, whose rows name the round that built them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from every_node.content import PARTS, ROWS, Shape, csv
from functional.dbt_project import NAME, Project
from readers.session import SMALL
from readers.tables import SharedTables

STOCK = "spark"
MORE, WHERE = "{{ var('more', '') }}", "{{ var('where', '') }}"
"""Further columns, and a condition, of the nodes that have a query."""
SELECT = f"select id{MORE}, {{{{ var('v') }}}} as v, id % {PARTS} as part from range({ROWS}){WHERE}"
ROUNDS = "(select explode(sequence(1, {{ var('v') }})) as v)"
ADDED = (
    f"select * from (select id{MORE}, v, id % {PARTS} as part from range({ROWS}) "
    f"cross join {ROUNDS}{WHERE}) "
    "{% if is_incremental() %}where v > (select max(v) from {{ this }}){% endif %}"
)
"""What the table lacks of all rounds so far: also a full refresh has them all."""
DAY = "2026-01-01"
ONE_BATCH = ("--event-time-start", DAY, "--event-time-end", "2026-01-02")
BATCH = (
    f"'microbatch', event_time='at', begin='{DAY}', batch_size='day', partition_by='at', "
    "file_format='parquet'"
)
PYTHON = f"""
def model(dbt, session):
    meta = dbt.config.get("meta")
    columns = f"id{{meta['more']}}, {{meta['v']}} as v, id % {PARTS} as part"
    return session.sql(f"select {{columns}} from range({ROWS}){{meta['where']}}")
"""
OF_PYTHON = """
models:
  - name: python
    config:
      materialized: table
      meta: {v: "{{ var('v') }}", more: "{{ var('more', '') }}", where: "{{ var('where', '') }}"}
"""
REFUSED = "refuses it on tables of files"


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its files, and what it holds.

    ``not_in_stock`` says why stock dbt-spark can't build it, ``on_delta`` that its session needs
    Delta.
    """

    files: Mapping[str, str]
    shape: Shape = Shape.REPLACED
    not_in_stock: str = ""
    on_delta: bool = False


def nodes(tables: SharedTables, adapter: str) -> dict[str, Node]:
    """Those that a session of the adapter with ``tables`` can have, by their names."""
    delta = tables.file_format == "delta"
    return {
        name: node
        for name, node in NODES.items()
        if (delta or not node.on_delta) and (adapter != STOCK or not node.not_in_stock)
    }


def written(directory: Path, schema: str, tables: SharedTables, adapter: str) -> Project:
    """The project on disk, for this adapter or the stock one."""
    project = Project(directory, schema, {**SMALL, **tables.conf})
    directory.mkdir(parents=True)
    of_each = {NAME: {"+file_format": "parquet"}}
    kinds = dict.fromkeys(("models", "seeds", "snapshots"), of_each)
    found = nodes(tables, adapter).values()
    files = {path: text for node in found for path, text in node.files.items()}
    files["dbt_project.yml"] = json.dumps({"name": NAME, "profile": NAME, **kinds})
    project.write(files)
    project.write_profile(adapter)
    return project


def set_round(project: Project, number: int) -> None:
    """Write the seed of a round: a file knows no variables."""
    (project.directory / "seeds" / "seed.csv").write_text(csv(number))


def _model(name: str, config: str, query: str = SELECT) -> dict[str, str]:
    return {f"models/{name}.sql": f"{{{{ config({config}) }}}}\n{query}\n"}


def _incremental(name: str, config: str, query: str = SELECT) -> dict[str, str]:
    level = "atomicity=var('level', 'isolated')"
    how = f"materialized='incremental', {level}, incremental_strategy={config}"
    return _model(name, how, query)


def _snapshot(name: str, config: str = "") -> dict[str, str]:
    how = f"unique_key='id', strategy='check', check_cols=['v']{config}"
    head = f"{{% snapshot {name} %}}{{{{ config({how}) }}}}"
    select = SELECT.replace(MORE, "")  # it keeps its columns' types
    return {f"snapshots/{name}.sql": f"{head}\n{select}\n{{% endsnapshot %}}\n"}


DELTA = ", file_format='delta'"
NODES: Mapping[str, Node] = {
    "seed": Node({"seeds/seed.csv": csv(1)}),
    "table": Node(_model("table", "materialized='table'")),
    "view": Node(_model("view", "materialized='view'")),
    "python": Node(
        {"models/python.py": PYTHON, "models/python.yml": OF_PYTHON},
        not_in_stock="runs no Python model in a session",
    ),
    "append": Node(_incremental("append", "'append'", ADDED), Shape.ADDED),
    "insert_overwrite": Node(
        _incremental("insert_overwrite", "'insert_overwrite', partition_by='part'")
    ),
    "microbatch": Node(
        _incremental("microbatch", BATCH, SELECT.replace(" from", f", date'{DAY}' as at from"))
    ),
    "merge": Node(_incremental("merge", "'merge', unique_key='id'"), not_in_stock=REFUSED),
    "delete_insert": Node(
        _incremental("delete_insert", "'delete+insert', unique_key='id'"), not_in_stock=REFUSED
    ),
    "snapshot": Node(_snapshot("snapshot"), Shape.SNAPPED, not_in_stock=REFUSED),
    "merge_delta": Node(
        _model(
            "merge_delta",
            f"materialized='incremental', incremental_strategy='merge', unique_key='id'{DELTA}",
        ),
        on_delta=True,
    ),
    "snapshot_delta": Node(_snapshot("snapshot_delta", DELTA), Shape.SNAPPED, on_delta=True),
}
