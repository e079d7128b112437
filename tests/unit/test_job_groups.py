"""The job group of each attempt of a model."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
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
    adapter: Any = SimpleNamespace(
        _model=SimpleNamespace(node=node, creates=False, adds=False),
        type=lambda: "ctas_spark",
        warn_of_unused_macros=lambda: None,
        _credentials=SimpleNamespace(staging_schema=None),
        catalogs=SimpleNamespace(run="r", catalog_for=lambda _context: catalog),
        _handle=SimpleNamespace(new_job=lambda group, _seconds: groups.append(group)),
    )
    relation = CtasSparkRelation.create(schema="s", identifier="events")
    for _ in range(2):
        CtasSparkAdapter._plan(adapter, relation, full_refresh=False)  # noqa: SLF001 (one step)
    assert len(set(groups)) == 2
