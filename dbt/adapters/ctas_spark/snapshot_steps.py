"""Snapshots: how one is planned, and what its rows do to the records of its table."""

from typing import Any

from dbt.adapters.ctas_spark import snapshots
from dbt.adapters.ctas_spark.incremental import Incremental
from dbt.adapters.ctas_spark.invocation import Invocation
from dbt.adapters.ctas_spark.model_rows import ModelRows
from dbt.adapters.ctas_spark.relation import CtasSparkRelation


class SnapshotSteps:
    """What the macros of a snapshot call."""

    def __init__(self, invocation: Invocation, rows: ModelRows, incremental: Incremental) -> None:
        self._invocation = invocation
        self._rows = rows
        self._incremental = incremental

    def plan(self, relation: CtasSparkRelation, existing: CtasSparkRelation | None) -> str:
        """Validate a snapshot's configuration, and decide how it writes."""
        return self._incremental.plan(relation, existing, full_refresh=False, macros={})

    def changes(
        self,
        existing: CtasSparkRelation,
        rows: CtasSparkRelation,
        names: dict[str, str],
        strategy: dict[str, Any],
        sql: dict[str, str],
    ) -> snapshots.Changes:
        """What the rows of the view ``rows`` do to a snapshot's records, to be selected.

        ``names`` are dbt's columns, and ``strategy`` and ``sql`` what its macros say.
        """
        node, meta = self._invocation.node.node, snapshots.named(names)
        of = snapshots.Strategy.of(strategy, node.config, **sql)
        old, new = self._rows.side(existing), self._rows.side(rows)
        columns = snapshots.columns_of(node.unique_id, meta, existing, old, new)
        return snapshots.Changes(of, meta, old, new[0], columns)

    def columns_to_check(
        self, columns: list[Any], existing: CtasSparkRelation | None
    ) -> tuple[bool, list[str]]:
        """Which columns a snapshot's check compares; and whether the table lacks one of them."""
        snapshots.refuse_maps(self._invocation.node.node.unique_id, columns)
        known = None if existing is None else self._rows.side(existing)[1]
        return snapshots.checked(columns, known)
