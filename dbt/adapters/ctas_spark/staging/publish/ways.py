"""A version that may be published in several ways, of which its query decides."""

from typing import Any, Generic, Protocol, TypeVar

from ..context import Atomicity, TableName
from ..engines.protocol import WriteFigures
from ..steps import StepReport
from .version import B, Base, FormatVersion

B_contra = TypeVar("B_contra", bound=Base, contravariant=True)


class Way(Protocol[B_contra]):
    """One of several ways to publish a version; the calls are those of ``Version``."""

    @property
    def record(self) -> TableName: ...

    @property
    def places(self) -> str: ...

    def statement(self, query: str) -> str: ...

    def check_staged(self) -> WriteFigures: ...

    def rebase(self, over: B_contra) -> None: ...

    def mark(self, over: B_contra, level: Atomicity) -> str: ...

    def publish(self, over: B_contra) -> None: ...

    def settle(self, report: StepReport) -> list[str]: ...

    def discard(self, report: StepReport) -> list[str]: ...


W = TypeVar("W", bound=Way[Any])


class ChoosingVersion(FormatVersion[B], Generic[B, W]):
    """A version that goes one of several ways, chosen when the model's query is known."""

    _way: W

    @property
    def record(self) -> TableName:
        return self._way.record

    @property
    def places(self) -> str:
        return self._way.places

    def check_staged(self, counted: WriteFigures) -> WriteFigures:  # noqa: ARG002 (of other writes)
        return self._way.check_staged()

    def rebase(self, over: B) -> None:
        self._way.rebase(over)

    def mark(self, over: B, level: Atomicity) -> str:
        return self._way.mark(over, level)

    def publish(self, over: B) -> None:
        self._way.publish(over)

    def discard(self, report: StepReport) -> list[str]:
        return self._way.discard(report)
