"""A hook that sends OpenLineage's events, by the project's own client.

The client reads ``OPENLINEAGE_*`` variables and ``openlineage.yml`` by itself; they say where the
events go. Its package is the extra ``openlineage``. It is imported by the first event, in the
hook's thread.
"""

import importlib.util
import os
from functools import cached_property
from typing import TYPE_CHECKING

from .calls import PublicationHook
from .event import JobState, PublicationEvent

if TYPE_CHECKING:
    from openlineage.client import OpenLineageClient

CLIENT = "openlineage.client"
NAMESPACE_VARIABLE = "OPENLINEAGE_NAMESPACE"


class OpenLineage(PublicationHook):
    """Sends START, then COMPLETE, FAIL or ABORT, for each publication.

    ``namespace`` is that of the jobs, ``dataset_namespace`` that of the tables: what other
    producers of the same tables use, such as ``hive://metastore.example.org:9083``.
    """

    def __init__(self, *, namespace: str | None = None, dataset_namespace: str = "spark") -> None:
        if importlib.util.find_spec(CLIENT) is None:
            raise ModuleNotFoundError(f"No module named {CLIENT!r}", name=CLIENT)
        self._namespace = namespace or os.environ.get(NAMESPACE_VARIABLE) or "dbt"
        self._tables = dataset_namespace
        self._started: set[str] = set()

    @cached_property
    def _client(self) -> "OpenLineageClient":
        from openlineage.client import OpenLineageClient  # noqa: PLC0415 (as the docstring says)

        return OpenLineageClient()

    def on_created(self, event: PublicationEvent) -> None:
        self._started.add(event.publication)
        self._emit(event)

    def on_finished(self, event: PublicationEvent) -> None:
        """Send the end; a run of OpenLineage needs a START before it, also if nothing began."""
        if event.publication not in self._started:
            self.on_created(event.turned(JobState.CREATED, error=None))
        self._started.discard(event.publication)
        self._emit(event)

    on_failed = on_finished
    on_canceled = on_finished

    def _emit(self, event: PublicationEvent) -> None:
        from .openlineage_events import run_event  # noqa: PLC0415 (as above)

        self._client.emit(run_event(event, self._namespace, self._tables))
