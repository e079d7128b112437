"""The job group of each attempt of a model."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from dbt.adapters.ctas_spark.node_state import NodeState
from dbt.adapters.ctas_spark.publication import Publication
from dbt.adapters.ctas_spark.relation import CtasSparkRelation


class Config(dict[str, Any]):
    """A model's configuration, with what dbt adds to it."""

    contract = SimpleNamespace(enforced=False)


@dataclass
class Planned:
    """A plan that nobody begins."""

    observers: tuple[Any, ...] = ()
    adds: bool = False


def test_two_batches_of_a_model_are_two_job_groups() -> None:
    """Spark 4 starts nothing in a group that was cancelled: a failed batch would end the others."""
    groups: list[str] = []
    node = SimpleNamespace(
        unique_id="model.p.events",
        config=Config(atomicity="isolated"),
        language="sql",
        description="",
        columns={},
        constraints=[],
    )
    catalog = SimpleNamespace(plan=lambda _context, _job: Planned())
    invocation: Any = SimpleNamespace(
        node=NodeState(node),
        credentials=SimpleNamespace(staging_schema=None),
        catalogs=SimpleNamespace(run="r", catalog_for=lambda _context: catalog),
        handle=SimpleNamespace(new_job=lambda group, _seconds: groups.append(group)),
    )
    no_macros = SimpleNamespace(find_macro_by_name=lambda *_: None)
    dbt: Any = SimpleNamespace(
        type=lambda: "ctas_spark",
        config=SimpleNamespace(project_name="p"),
        get_macro_resolver=lambda: no_macros,
    )
    nobody: Any = None
    publication = Publication(invocation, dbt, nobody, nobody)
    for _ in range(2):
        publication.plan(CtasSparkRelation.create(schema="s", identifier="events"), False)
    assert len(set(groups)) == 2
