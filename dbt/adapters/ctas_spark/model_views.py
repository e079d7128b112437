"""The temporary view of a model's rows: its query's, its Python code's, or what a stream brings."""

import time
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import copy
from typing import Any

from dbt_common.events.functions import fire_event

from dbt.adapters.base.meta import available
from dbt.adapters.ctas_spark import python_models, streams
from dbt.adapters.ctas_spark.batches import Side
from dbt.adapters.ctas_spark.credentials import SESSION
from dbt.adapters.ctas_spark.dbt_edge import for_macros, logger
from dbt.adapters.ctas_spark.preview_adapter import PreviewAdapter
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.engines import commands
from dbt.adapters.ctas_spark.staging.engines.clones import bound
from dbt.adapters.ctas_spark.staging.engines.jvm import FAILURES
from dbt.adapters.ctas_spark.staging.errors import ConfigurationError
from dbt.adapters.events.types import CodeExecution, CodeExecutionStatus

VIEWS = ("view", "temporary_view")
"""What may be a stream itself."""


class ModelViewsAdapter(PreviewAdapter):
    """Makes the views that a model's new rows are selected from."""

    @available
    def may_be_stream(self, sql: str) -> bool:
        """Whether Spark should be asked if a query is a stream; a server would run it at once."""
        return self._credentials.method == SESSION and streams.WORD.search(sql) is not None

    @for_macros
    def view_last_query(self, view: CtasSparkRelation) -> None:
        """Make a temporary view of the query that this thread has just given to Spark."""
        self._view(view, self._handle.frame)

    @for_macros
    def run_python_model(self, view: CtasSparkRelation, code: str) -> None:
        """Run a Python model in this process, and make a temporary view of what it returns.

        dbt's log has the code, as it has every statement.
        """
        self._handle.job.attach()
        node, began = self._model.node, time.monotonic()
        fire_event(CodeExecution(conn_name=node.unique_id, code_content=code))
        session = self._session_of_a_model()
        with bound(session, self._handle.of_run):
            self._view(view, python_models.run(code, node.original_file_path, session))
        took = round(time.monotonic() - began, 2)
        fire_event(CodeExecutionStatus(status="OK", elapsed=took))

    @available
    def is_undecided(self) -> bool:
        """False if the model's table is kept: its stream brings nothing new."""
        return self._model.build is not None and self._model.build.staged.outcome is None

    def _true_statistics(self, sql: str) -> AbstractContextManager[None]:
        """After a statement that counts a published table, the table's statistics are true."""
        counts = commands.may_count(sql) and not self.is_preview()
        return self.catalogs.true_statistics(sql) if counts else nullcontext()

    def _session_of_a_model(self) -> Any:
        """The session, where an ANALYZE by ``sql`` leaves true statistics, as in a hook."""
        spark = self._handle.spark
        if self._credentials.method != SESSION:
            return spark

        def sql(sqlQuery: str, *others: Any, **named: Any) -> Any:  # noqa: N803 (PySpark's)
            with self._true_statistics(sqlQuery):
                return spark.sql(sqlQuery, *others, **named)

        session = copy(spark)
        session.sql = sql
        return session

    def _side(self, relation: CtasSparkRelation) -> Side:
        columns = self.get_columns_in_relation(relation)
        return str(relation), {column.name: column.dtype for column in columns}

    def _view(self, view: CtasSparkRelation, frame: Any) -> None:
        if frame.isStreaming and self._model.node.config.materialized not in VIEWS:
            frame = self._batch_of(frame)
        frame.createOrReplaceTempView(quoting.identifier(str(view.identifier)))
        if not self.is_preview() and self._model.node.config.materialized not in VIEWS:
            self._model.temporary_views.append(str(view.identifier))

    def _drop_views(self, names: list[str]) -> None:
        """Let go of a node's rows: those of pandas and its like are in the driver's memory."""
        for name in names:
            with suppress(*FAILURES):  # an ended Spark has none
                self._handle.spark.catalog.dropTempView(name)

    def _batch_of(self, stream: Any) -> Any:
        model = self._model
        if problems := model.problems_of_stream:
            raise ConfigurationError(model.node.unique_id, problems)
        batch = None
        if model.build is not None:
            batch = model.build.staged.drain(stream, resumes=model.adds)
        elif self.is_preview():
            logger.info(streams.NOTHING_TAKEN.format(model.table))
        if batch is None:
            return stream.sparkSession.createDataFrame([], stream.schema)
        return batch
