"""A node's beginning and its end; between them, macros call the components."""

import time
from typing import Any

from dbt.adapters.ctas_spark import dbt_edge, refusals
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.model_rows import ModelRows
from dbt.adapters.ctas_spark.node_state import NodeState
from dbt.adapters.ctas_spark.publication_events import HookDispatcher
from dbt.adapters.ctas_spark.run_record import RunRecord


class Nodes:
    """What dbt's hooks around each node do."""

    def __init__(
        self,
        invocation: Invocation,
        dbt: Dbt,
        dispatcher: HookDispatcher,
        record: RunRecord,
        rows: ModelRows,
    ) -> None:
        self._invocation = invocation
        self._dbt = dbt
        self._dispatcher = dispatcher
        self._record = record
        self._rows = rows

    def begin(self, node: Any) -> NodeState:
        """Give the node a state of its own, and refuse what is known to fail after a commit."""
        state = self._invocation.begin_node(node)
        if state.session is not None:
            state.session.begin(node, self._invocation.handle)
        with self._dispatcher.refusing(state):
            refusals.refuse_grants(self._invocation, self._dbt)
        return state

    def end(self, state: NodeState, cause: BaseException | None) -> None:
        """Note what was written, and abort what an error or a cancel left undecided."""
        self._record.ended(state, time.monotonic() - state.began)
        cause = cause or state.failure_unseen()
        canceled = self._invocation.is_canceled
        try:
            if cause is not None:
                self._abort(state, cause, canceled=canceled)
        finally:
            self._rows.drop_views(state.temporary_views)
        self._dispatcher.ended(state, cause, canceled=canceled)

    def _abort(self, state: NodeState, cause: BaseException, *, canceled: bool) -> None:
        build = state.build
        dbt_edge.forget_hudi(cause)
        if build is not None:
            outcome = (build.on_canceled if canceled else build.on_failed)(cause)
            dbt_edge.add_to(cause, outcome)
            if cause is state.unseen:  # dbt has printed the batch's error already
                logger.warning(f"{state.table}: {outcome}")
        if canceled:  # dbt prints no message of a model that it has cancelled
            logger.info(build.holds if build else f"{state.table}: {dbt_edge.CUT_OFF}")
