"""What the components of one invocation of dbt share: the node, its connection, the catalogs."""

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, cast

from ctas_spark.catalogs.kinds import Catalogs
from ctas_spark.context import StagingContext
from ctas_spark.engines import commands
from ctas_spark.publish.catalog import StagingCatalog
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.ctas_spark.connections import SessionHandle
from dbt.adapters.ctas_spark.credentials import SESSION
from dbt.adapters.ctas_spark.methods import METHODS
from dbt.adapters.ctas_spark.node_session import SessionsOfBatches
from dbt.adapters.ctas_spark.node_state import NodeState, RunningNode
from dbt.adapters.ctas_spark.preview import PreviewSettings
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

Executed = tuple[AdapterResponse, Any]


class Dbt(Protocol):
    """What the components ask of dbt's adapter."""

    config: Any
    Relation: type[CtasSparkRelation]

    def execute(
        self,
        sql: str,
        auto_begin: bool = ...,  # noqa: FBT001 (dbt's own signature)
        fetch: bool = ...,  # noqa: FBT001 (dbt's own signature)
        limit: int | None = ...,
    ) -> Executed:
        """Run a statement, and with ``fetch`` give its rows."""

    def add_query(self, sql: str) -> Any:
        """Make a statement the last one, without computing it."""

    def execute_macro(self, macro_name: str, *, kwargs: dict[str, Any]) -> Any:
        """What a macro returns."""

    def get_columns_in_relation(self, relation: CtasSparkRelation) -> list[Any]:
        """The columns of a table or view; none if it is not there."""

    def get_column_schema_from_query(self, sql: str) -> list[Any]:
        """The columns of a query."""

    def drop_relation(self, relation: CtasSparkRelation) -> None:
        """Drop a relation, and forget it."""

    def get_macro_resolver(self) -> Any:
        """dbt's manifest; None while dbt has none."""

    def get_incremental_strategy_macro(self, context: Any, strategy: str) -> Any:
        """The macro of a strategy that the project brings."""

    def type(self) -> str:
        """The adapter's name."""


class Connections(Protocol):
    """dbt's connections, one for each thread."""

    running: RunningNode

    @property
    def is_canceled_here(self) -> bool:
        """Whether this thread's node was cancelled."""

    def get_thread_connection(self) -> Any:
        """That of this thread."""


class Invocation:
    """Its Spark is started, and its catalogs are opened, by the first node that needs them."""

    def __init__(
        self, connections: Connections, credentials: Any, preview: PreviewSettings
    ) -> None:
        self.credentials = credentials
        self.preview = preview
        self.hide_secrets = credentials.hide_secrets
        self.batches = SessionsOfBatches()
        self._connections = connections
        self._guard = threading.Lock()
        self._opened: Catalogs | None = None

    @property
    def node(self) -> NodeState:
        """The node that this thread runs."""
        return self._connections.running.state

    def begin_node(self, node: Any) -> NodeState:
        """A node begins in this thread, with the session that its connection has."""
        self._connections.running.state = NodeState(node, self.node.session)
        return self.node

    def take_turn(self, sql: str = "") -> None:
        """Wait until the node can run ``sql``, or begin, beside what others have set."""
        if self.node.session is not None:
            self.node.session.note(self.handle, sql)

    @property
    def is_canceled(self) -> bool:
        """Whether that node was cancelled."""
        return self._connections.is_canceled_here

    @property
    def handle(self) -> SessionHandle:
        """This thread's use of Spark."""
        return cast("SessionHandle", self._connections.get_thread_connection().handle)

    @property
    def spark(self) -> Any:
        """The session that this thread's statements run in."""
        return self.handle.spark

    @property
    def is_in_session(self) -> bool:
        """Whether Spark runs in this process, and not on a server."""
        return bool(self.credentials.method == SESSION)

    @property
    def catalogs(self) -> Catalogs:
        """The catalogs; a node with a session of its own has them look there."""
        spark, session = self.handle.of_run, self.node.session
        with self._guard:
            if self._opened is None:
                method = METHODS[self.credentials.method]
                self._opened = method.open_catalogs(spark, self.credentials)
            opened = self._opened
        return session.catalogs(opened) if session is not None else opened

    def of_run(self, catalog: StagingCatalog, context: StagingContext) -> StagingCatalog:
        """The run's catalog instead of a node's, which would hold the node's session."""
        opened = self._opened
        if opened is None or opened is self.catalogs:
            return catalog
        return opened.catalog_for(context)

    def true_statistics(self, sql: str) -> AbstractContextManager[None]:
        """After a statement that counts a published table, the table's statistics are true."""
        counts = commands.may_count(sql) and not self.preview.enabled
        return self.catalogs.true_statistics(sql) if counts else nullcontext()

    def close(self) -> None:
        """Close the catalogs, and what was kept for batches."""
        self.batches.close()
        with self._guard:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()
