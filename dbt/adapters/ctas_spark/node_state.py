"""What is known of the node that a thread runs: Jinja, between dbt's hooks, holds nothing."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.context import Atomicity, TableName, table_name
from ctas_spark.hooks import PublicationEvent
from ctas_spark.publish.version import Outcome
from dbt.adapters.ctas_spark import streams
from dbt.adapters.ctas_spark.model_build import ModelBuild
from dbt.adapters.ctas_spark.node_session import NodeSession
from dbt.adapters.ctas_spark.preview import NodePreview
from dbt.adapters.ctas_spark.summary import Written

BATCH_FAILED = "a batch failed; its error is the one that dbt has printed"


@dataclass(frozen=True, slots=True)
class Addition:
    """How a node adds rows to its table, as it was planned."""

    with_old_rows: bool = False
    """Whether what is published are rows of the table with new ones."""
    creates: bool = False
    """Whether the table was not there when the run listed its schema."""
    level: Atomicity | None = None
    """That of a table that is written in place, where it is known."""
    stream_problems: Sequence[str] = (streams.NOT_INCREMENTAL,)
    """What is wrong with the configuration if the query is a stream."""


@dataclass(slots=True)
class NodeState:
    """Made when a node begins, and when dbt opens a connection for anything else."""

    node: Any = None
    session: NodeSession | None = None
    """What the node's statements run in, while it has its connection."""
    began: float = field(default_factory=time.monotonic)
    addition: Addition = Addition()
    begin: Callable[[], ModelBuild] | None = None
    """Begins what was planned."""
    build: ModelBuild | None = None
    view: Any = None
    """The ``ViewChange`` of a view that takes something's place."""
    counts: bool = False
    """Whether what each statement writes is counted."""
    written: Written | None = None
    event: PublicationEvent | None = None
    """What users' hooks were told when the node began to write."""
    unseen: DbtRuntimeError | None = None
    """The failure of a batch, whose error dbt keeps to itself."""
    preview: NodePreview = field(default_factory=NodePreview)
    temporary_views: list[str] = field(default_factory=list)
    """Those of its rows, which end with the node."""

    def failure_unseen(self) -> DbtRuntimeError | None:
        """A failure for what began and did not end: dbt catches the errors of a batch itself."""
        outcome = self.build.staged.outcome if self.build else None
        has_begun = self.build is not None or self.event is not None
        if has_begun and self.written is None and outcome is not Outcome.KEPT:
            self.unseen = DbtRuntimeError(BATCH_FAILED)
        return self.unseen

    @property
    def table(self) -> TableName:
        """The node's relation."""
        return table_name(self.node.database, self.node.schema, self.node.alias)


class RunningNode(threading.local):
    """The state of the node that this thread runs."""

    def __init__(self) -> None:
        self.state = NodeState()
