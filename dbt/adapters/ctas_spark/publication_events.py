"""What the hooks of users are told of a run's nodes; staging/hooks calls them."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dbt_common.exceptions import DbtRuntimeError
from dbt_common.invocation import get_invocation_id

from ctas_spark.context import Atomicity, table_name
from ctas_spark.errors import ProfileError, StagingError
from ctas_spark.hooks import (
    Column,
    Dataset,
    Failure,
    Hooks,
    JobState,
    PublicationEvent,
    path_of,
)
from ctas_spark.hooks.registered import names, registered
from ctas_spark.publish.version import Outcome
from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.node_state import NodeState
from dbt.adapters.ctas_spark.project import RESOURCES

TABLES = ("table", "atomic_table", "incremental", "seed", "snapshot")
"""Materializations whose failures are told, also if they failed before anything began."""
_projects: list[str] = []
"""Those that ``sys.path`` has got here."""
DECIDED = (Outcome.COMMITTED, Outcome.KEPT)


def hooks_of(credentials: CtasSparkCredentials, project: str | None) -> Hooks:
    """The hooks of the profile and of installed packages; none without a project, in dbt debug.

    Modules that the profile names may also be in the directory of the ``project``.

    Raises:
        DbtRuntimeError: names every hook of the profile that could not be made.
    """
    if project is None:
        return Hooks({})
    if modules := {name.partition(":")[0] for name in names(credentials.hooks) if ":" in name}:
        _find_in(project, modules)
    hide, found = credentials.hide_secrets, registered(credentials.hooks)
    if found.problems:
        raise DbtRuntimeError(hide(str(ProfileError.of(found.problems))))
    for skipped in found.skipped:
        logger.warning(hide(skipped))

    def say(text: str) -> None:
        logger.warning(hide(text))

    def note(text: str) -> None:
        logger.debug(hide(text))

    return Hooks(found.hooks, credentials.hook_timeout, say, note)


def _find_in(project: str, modules: set[str]) -> None:
    """Let modules be imported from a project, and not from one that this process ran before."""
    if project not in sys.path:
        sys.path.append(project)
        _projects.append(project)
    for other in [one for one in _projects if one != project]:
        with suppress(ValueError):  # others may have taken it away
            sys.path.remove(other)
        _projects.remove(other)
        for root in {one.partition(".")[0] for one in modules}:
            file = getattr(sys.modules.get(root), "__file__", None)
            if file is not None and Path(file).is_relative_to(other):
                for name in [one for one in sys.modules if f"{one}.".startswith(f"{root}.")]:
                    del sys.modules[name]


class HookDispatcher:
    """Tells the hooks of one run what becomes of its nodes.

    ``manifest`` is dbt's, by which a node's inputs are found; ``columns`` reads those of a table.
    """

    def __init__(
        self,
        hooks: Hooks,
        hide: Callable[[str], str],
        manifest: Callable[[], Any],
        columns: Callable[[Any], tuple[Column, ...]],
    ) -> None:
        self._hooks = hooks
        self._hide = hide
        self._manifest = manifest
        self._columns = columns
        self._published: dict[tuple[str, str, str], Dataset] = {}

    def mute(self) -> None:
        """Tell nobody: nothing is published."""
        self._hooks = Hooks({})

    def report(self) -> None:
        """The run ends: say which hooks failed."""
        self._hooks.report()

    def created(self, state: NodeState) -> None:
        """The node is about to be staged, or to write in place; unless its table is kept."""
        is_kept = state.build is not None and state.build.staged.outcome is not None
        if self._hooks and not is_kept:
            with self._changing_nothing(state):
                state.event = self._event(state, JobState.CREATED)
                self._hooks.notify(state.event)

    def ended(self, state: NodeState, cause: BaseException | None, *, canceled: bool) -> None:
        """The node's outcome is decided; one that is not a table has no events."""
        if self._hooks and _is_reported(state, cause):
            with self._changing_nothing(state):
                self._hooks.notify(self._end(state, cause, canceled=canceled))

    @contextmanager
    def refusing(self, state: NodeState) -> Iterator[None]:
        """Around what may refuse the node before dbt calls it begun, and never calls it ended."""
        try:
            yield
        except StagingError as error:
            self.ended(state, error, canceled=False)
            raise

    @contextmanager
    def _changing_nothing(self, state: NodeState) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 (a model does not fail because of its hooks)
            said = self._hide(f"{state.table}: its hooks were not called: {_said(error)}")
            logger.warning(said)

    def _event(self, state: NodeState, job_state: JobState) -> PublicationEvent:
        node = state.node
        event = PublicationEvent(
            job_state,
            path_of(state.table),
            get_invocation_id(),
            node.unique_id,
            file_format=node.config.get("file_format"),
            level=state.addition.level,
            inputs=tuple(self._inputs(node)),
        )
        return event.staged_as(state.build.staged) if state.build else event

    def _end(
        self, state: NodeState, cause: BaseException | None, *, canceled: bool
    ) -> PublicationEvent:
        job_state = _job_state(state, cause, canceled=canceled)
        event = (state.event or self._event(state, job_state)).turned(
            job_state,
            seconds=round(time.monotonic() - state.began, 3),
            error=Failure.of(cause, self._hide(_said(cause))) if cause else None,
        )
        if state.build:
            event = event.staged_as(state.build.staged)
        elif state.written:
            figures = state.written.figures
            event = event.turned(
                job_state, rows=figures.rows, bytes=figures.bytes, level=state.addition.level
            )
        if job_state is JobState.FINISHED and not canceled:
            event = event.turned(job_state, columns=self._columns(state.node))
            self._published[event.path] = Dataset(event.path, event.columns, event.version)
        return event

    def _inputs(self, node: Any) -> Iterator[Dataset]:
        """The tables that the node selects from; through an ephemeral model, those below it."""
        manifest = self._manifest()
        for name in getattr(node, "depends_on_nodes", ()) if manifest else ():
            above = manifest.nodes.get(name) or manifest.sources.get(name)
            if above is None:
                continue
            if above.resource_type == "model" and above.config.materialized == "ephemeral":
                yield from self._inputs(above)
                continue
            path = path_of(table_name(above.database, above.schema, above.identifier))
            yield self._published.get(path, Dataset(path))


def _is_reported(state: NodeState, cause: BaseException | None) -> bool:
    if state.event or state.build or state.written:
        return True
    is_table = state.node.resource_type in RESOURCES and state.node.config.materialized in TABLES
    return cause is not None and is_table


def _job_state(state: NodeState, cause: BaseException | None, *, canceled: bool) -> JobState:
    """A publication that is decided has finished, whatever failed after it."""
    staged = state.build.staged if state.build else None
    decided = staged and staged.outcome in DECIDED and staged.level is not Atomicity.NONE
    if cause is None or state.written or decided:
        return JobState.FINISHED
    return JobState.CANCELED if canceled else JobState.FAILED


def _said(error: BaseException) -> str:
    return str(getattr(error, "msg", "") or error)
