"""The temporary view of a model's rows: its query's, its Python code's, or what a stream brings."""

import time
from contextlib import AbstractContextManager, suppress
from typing import Any

from dbt_common.events.functions import fire_event

from ctas_spark import quoting
from ctas_spark.engines.clones import bound
from ctas_spark.engines.jvm import FAILURES
from ctas_spark.errors import ConfigurationError
from ctas_spark.quoting import require_escapes
from dbt.adapters.ctas_spark import model_session, python_models, streams
from dbt.adapters.ctas_spark.batches import Side
from dbt.adapters.ctas_spark.credentials import THRIFT
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.events.types import CodeExecution, CodeExecutionStatus

VIEWS = ("view", "temporary_view")
"""What may be a stream itself."""


class ModelRows:
    """Makes the views that a model's new rows are selected from."""

    def __init__(self, invocation: Invocation, dbt: Dbt) -> None:
        self._invocation = invocation
        self._dbt = dbt

    def may_be_stream(self, sql: str) -> bool:
        """Whether Spark should be asked if a query is a stream; a server would run it at once."""
        return self._invocation.is_in_session and streams.WORD.search(sql) is not None

    def view_last_query(self, view: CtasSparkRelation) -> None:
        """Make a temporary view of the query that this thread has just given to Spark."""
        self._view(view, self._invocation.handle.frame)

    def compute_once(self, view: CtasSparkRelation) -> None:
        """Compute a view's rows now, and let it be what was computed.

        For rows that are checked and then written, and for Iceberg's MERGE, which reads its source
        twice. Rows that an executor has lost fail the statement that reads them, and are not
        computed again. A Thrift server has no such statement.
        """
        handle = self._invocation.handle
        if self._invocation.credentials.method != THRIFT:
            handle.job.attach()
            with bound(handle.spark, handle.of_run):
                self._view(view, handle.spark.table(str(view)).localCheckpoint())

    def run_python(self, view: CtasSparkRelation, code: str) -> None:
        """Run a Python model in this process, and make a temporary view of what it returns.

        dbt's log has the code, as it has every statement.
        """
        handle, state = self._invocation.handle, self._invocation.node
        handle.job.attach()
        node, began = state.node, time.monotonic()
        fire_event(CodeExecution(conn_name=node.unique_id, code_content=code))
        with self._session_of_a_model() as session, bound(session, handle.of_run):
            frame = python_models.run(code, node.original_file_path, session)
            require_escapes(session, "nothing of the model was written")
            self._view(view, frame)
        took = round(time.monotonic() - began, 2)
        fire_event(CodeExecutionStatus(status="OK", elapsed=took))

    def _session_of_a_model(self) -> AbstractContextManager[Any]:
        """A session, where an ANALYZE leaves true statistics; a server's, where settings end."""
        spark = self._invocation.spark
        if self._invocation.is_in_session:
            return model_session.in_session(spark, self._invocation.true_statistics)
        return model_session.over_connect(spark, self._invocation.take_turn)

    def side(self, relation: CtasSparkRelation) -> Side:
        columns = self._dbt.get_columns_in_relation(relation)
        return str(relation), {column.name: column.dtype for column in columns}

    def drop_views(self, names: list[str]) -> None:
        """Let go of a node's rows: those of pandas and its like are in the driver's memory."""
        for name in names:
            with suppress(*FAILURES):  # an ended Spark has none
                self._invocation.spark.catalog.dropTempView(name)

    def _view(self, view: CtasSparkRelation, frame: Any) -> None:
        state = self._invocation.node
        is_table = state.node.config.materialized not in VIEWS
        if frame.isStreaming and is_table:
            frame = self._batch_of(frame)
        frame.createOrReplaceTempView(quoting.identifier(str(view.identifier)))
        if is_table and not self._invocation.preview.enabled:
            state.temporary_views.append(str(view.identifier))

    def _batch_of(self, stream: Any) -> Any:
        state = self._invocation.node
        here = [] if self._invocation.is_in_session else [streams.OVER_A_SERVER]
        if problems := [*here, *state.addition.stream_problems]:
            raise ConfigurationError(state.node.unique_id, problems)
        batch = None
        if state.build is not None:
            batch = state.build.staged.read_new_rows(stream, resumes=state.addition.with_old_rows)
        elif self._invocation.preview.enabled:
            logger.info(streams.NOTHING_TAKEN.format(state.table))
        if batch is None:
            return stream.sparkSession.createDataFrame([], stream.schema)
        return batch
