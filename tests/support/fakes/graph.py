"""A graph of dbt's: models that are published, and nodes that are not."""


def node(name: str, materialized: str = "atomic_table", schema: str = "shop") -> dict[str, object]:
    """A model of dbt's graph."""
    return {
        "unique_id": f"model.p.{name}",
        "resource_type": "model",
        "name": name,
        "alias": name.upper(),
        "database": "spark_catalog",
        "schema": schema,
        "description": "",
        "config": {"materialized": materialized, "versions_to_keep": 0, "grace_period": 0},
    }


GRAPH = {
    "nodes": {
        each["name"]: each
        for each in (
            node("orders"),
            node("customers", "table", "sales"),
            node("looked_at", "view"),
            {**node("elsewhere"), "database": "ice"},
            {**node("a_test"), "resource_type": "test"},
        )
    }
}
