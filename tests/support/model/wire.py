"""A run's way to the fakes, and what is under way on it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctas_spark.errors import StagingError
from model.attempts import Doing

if TYPE_CHECKING:
    from model.runs import Run


class Wire:
    """A run's way to a fake: each call may meet a fate."""

    def __init__(self, run: "Run", place: object, lost: type[StagingError]) -> None:
        self._run = run
        self._place = place
        self._lost = lost

    def __getattr__(self, name: str) -> Callable[..., Any]:
        made = getattr(self._place, name)

        def call(*args: Any, **named: Any) -> Any:
            return self._run.calls(name, lambda: made(*args, **named), self._lost, args)

        return call


@dataclass(slots=True)
class Late:
    """A request under way on the server, whose client does not wait for it any more."""

    run: "Run"
    doing: Doing
    effect: Callable[[], Any]
    since_ms: int
    name: str
    args: tuple[Any, ...]
