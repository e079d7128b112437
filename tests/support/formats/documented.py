"""Comments of a table, a seed and a snapshot, and what dbt's docs say of them."""

import json

from functional.dbt_project import Project


def build_and_check(project: Project, file_format: str) -> None:
    """Comments follow the model, also where rows are merged into the table.

    Whatever they say, it is the table that the catalog says it is; dbt's docs have them, too, and
    the rows and bytes of what was published.
    """
    config = "incremental_strategy='merge', unique_key='id', materialized='incremental'"
    docs = "persist_docs={'relation': true, 'columns': true}"
    model = (
        f"{{{{ config({config}, {docs}, file_format='{file_format}') }}}} select 1 as id, "
        "named_struct('A', array(map('k', 1))) as Its_Part"
    )
    spoof = "What is\nType: VIEW\nProvider: hive\nin the %s table"
    seed = f"{{file_format: {file_format}, persist_docs: {{relation: true, columns: true}}}}"
    kept = f"{{unique_key: id, strategy: check, check_cols: [id], {seed[1:-1]}}}"
    for text in ("old", "new", "new"):
        columns = f"columns: [{{name: ID, description: {text}}}]"
        said = f"description: {json.dumps(spoof % text)}, {columns}"
        snapshot = f"{{name: k, relation: ref('m'), config: {kept}, {said}}}"
        project.write(
            {
                "models/m.sql": model,
                "seeds/s.csv": "id\n1\n",
                "models/schema.yml": f"models: [{{name: m, {said}}}]",
                "seeds/schema.yml": f"seeds: [{{name: s, config: {seed}, {said}}}]",
                "snapshots/k.yml": f"snapshots: [{snapshot}]",
            }
        )
        run = project.dbt("build", "--select", "m s k")
        assert run.success, run.log
        for name in "msk":
            rows = project.rows(f"describe extended {{schema}}.{name}")
            told = {row[0]: row[1:] for row in rows}
            assert told["id"][1] == text, name
            assert told["Comment"][0] == spoof % text, name
    assert run.response("m")["atomicity"] == "atomic"  # rows were merged
    assert "TBLPROPERTIES ('comment'" not in run.log
    assert project.dbt("docs", "generate").success
    nodes = json.loads((project.directory / "target" / "catalog.json").read_text())["nodes"]
    of = ("model.tested.m", "Its_Part"), ("seed.tested.s", "id"), ("snapshot.tested.k", "id")
    for node, column in of:
        found, columns = nodes[node]["metadata"], nodes[node]["columns"]
        assert (found["type"], found["comment"]) == ("table", spoof % "new")
        assert columns["id"]["comment"] == "new", node
        assert column in columns, node
    stats = nodes["seed.tested.s"]["stats"]
    assert (stats["rows"]["value"], stats["bytes"]["value"] > 0) == (1, True)
    assert nodes["model.tested.m"]["columns"]["Its_Part"]["type"] == (
        "struct<A:array<map<string,int>>>"
    )
