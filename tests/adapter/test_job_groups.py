"""What a publication's plan says of its node: the job group, and whether others read its table."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dbt.adapters.ctas_spark.node_state import NodeState
from dbt.adapters.ctas_spark.publication import Publication
from dbt.adapters.ctas_spark.relation import CtasSparkRelation


class Config(dict[str, Any]):
    """A model's configuration, with what dbt adds to it."""

    def __init__(self, materialized: str, *, enforced: bool) -> None:
        super().__init__(atomicity="isolated")
        self.materialized = materialized
        self.contract = SimpleNamespace(enforced=enforced)


@dataclass
class Planned:
    """A plan, and what its begin returns."""

    observers: tuple[Any, ...] = ()
    adds: bool = False
    only_by_query: bool = False

    def begin(self) -> "Planned":
        """Nothing is staged."""
        return self


def planned(
    groups: list[str],
    materialized: str = "table",
    *,
    enforced: bool = False,
    is_in_session: bool = True,
) -> Planned:
    """The plan of a SQL node; its job group is added to ``groups``."""
    node = SimpleNamespace(
        unique_id="model.p.events",
        config=Config(materialized, enforced=enforced),
        language="sql",
        description="",
        columns={},
        constraints=[],
    )
    state = NodeState(node)
    catalog = SimpleNamespace(plan=lambda _context, _job: Planned())
    invocation: Any = SimpleNamespace(
        node=state,
        is_in_session=is_in_session,
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
    publication.plan(CtasSparkRelation.create(schema="s", identifier="events"), False)
    assert state.begin is not None
    plan: Any = state.begin().staged
    return cast("Planned", plan)


def test_two_batches_of_a_model_are_two_job_groups() -> None:
    """Spark 4 starts nothing in a group that was cancelled: a failed batch would end the others."""
    groups: list[str] = []
    planned(groups)
    planned(groups)
    assert len(set(groups)) == 2


@pytest.mark.parametrize(
    ("materialized", "enforced", "is_in_session", "alone"),
    [
        ("table", False, False, True),
        ("seed", False, False, True),
        ("snapshot", False, False, False),
        ("incremental", False, False, False),
        ("table", True, False, False),
        ("table", False, True, False),
    ],
)
def test_over_a_server_only_the_query_of_a_plain_table_may_read_it_before_the_commit(
    materialized: str, *, enforced: bool, is_in_session: bool, alone: bool
) -> None:
    """A contract and a snapshot have their columns compared by statements of their own."""
    plan = planned([], materialized, enforced=enforced, is_in_session=is_in_session)
    assert plan.only_by_query is alone
