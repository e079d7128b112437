"""What a run has written: listed under its last node, and looked after at its end."""

from dataclasses import replace

from ctas_spark.context import Atomicity
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.options import FORMATS
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.end_of_run import Published, look_after
from dbt.adapters.ctas_spark.invocation import Invocation
from dbt.adapters.ctas_spark.node_state import NodeState
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.relations import Relations
from dbt.adapters.ctas_spark.summary import Written, summary


class RunRecord:
    """Each node's is noted in its state, and listed once the node has ended."""

    def __init__(self, invocation: Invocation, relations: Relations) -> None:
        self._invocation = invocation
        self._relations = relations
        self._published: list[Published] = []
        self._written: list[Written] = []

    def published(
        self, version: Published, level: Atomicity, *, hides_partitions: bool = False
    ) -> None:
        """A version was published."""
        state = self._invocation.node
        self._published.append(version)
        state.written = Written.by(
            state.node,
            version.figures,
            version=version.version,
            level=level,
            hides_partitions=hides_partitions,
        )

    def count_writes(self, table: CtasSparkRelation, file_format: str | None) -> None:
        """Count what this node's statements write, if its format is one whose writers count."""
        known = file_format in FORMATS
        if file_format is None:
            catalog = str(table.database)
            known = table.in_session_catalog or self._relations.holds_iceberg(catalog)
        self._invocation.node.counts = known

    def list_written(self, response: AdapterResponse) -> None:
        """List a table that is not staged, with what its main statement has written."""
        state = self._invocation.node
        state.counts = False
        size = getattr(response, "bytes", None)
        figures = WriteFigures(rows=response.rows_affected, bytes=size)
        state.written = Written.by(state.node, figures, level=state.addition.level)

    def list_seed(self, rows: int) -> None:
        """List the seed that has been loaded."""
        state = self._invocation.node
        state.written = Written.by(state.node, WriteFigures(rows=rows))

    def ended(self, state: NodeState, seconds: float) -> None:
        """The node has ended."""
        if state.written is not None:
            self._written.append(replace(state.written, seconds=seconds))

    def close(self, *, canceled: bool) -> None:
        """The run has ended: print the summary, and look after old versions."""
        published, self._published = self._published, []
        written, self._written = self._written, []
        if written and self._invocation.credentials.publications_table:
            dbt_edge.say(summary(written))
        look_after(published, logger.info, interrupted=canceled)
