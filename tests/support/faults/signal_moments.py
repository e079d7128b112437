"""Random moments of a run: at a time, at a call to the metastore, inside a commit call."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from subprocess import TimeoutExpired
from typing import Protocol

from faults.commit_calls import SWAP
from faults.other_process import WITHIN, OtherRun
from faults.several import TABLES
from servers.proxy import Action, Call, Message, Proxy


class Moment(Protocol):
    """When a signal is sent."""

    def send(self, run: OtherRun, proxy: "CountingProxy", signal: Callable[[], None]) -> bool:
        """Send it when the moment has come; False if the run was over before."""


class CountingProxy(Proxy):
    """Counts the requests, and holds one of them until something has happened."""

    def __init__(self, server_port: int) -> None:
        self._counting = threading.Lock()
        self.begin(0)
        super().__init__(server_port)

    def begin(self, held: int) -> "HeldCall":
        """Count anew; the request of this number is held (0: none is)."""
        with self._counting:
            self.count = 0
            self._number = held
            self._held = HeldCall()
        return self._held

    def _action(self, request: Message) -> Action:
        with self._counting:
            self.count += 1
            is_it = self.count == self._number
        return self._held.hold if is_it else super()._action(request)


@dataclass(slots=True)
class HeldCall:
    """A request that reaches the server only after ``go_on``."""

    arrived: threading.Event = field(default_factory=threading.Event)
    _released: threading.Event = field(default_factory=threading.Event)

    def hold(self, call: Call) -> None:
        """Hold the call, and then pass it on."""
        self.arrived.set()
        assert self._released.wait(WITHIN)
        call.pass_on()

    def go_on(self) -> None:
        """Let the call reach the server."""
        self._released.set()

    def send(self, run: OtherRun, signal: Callable[[], None]) -> bool:
        """Send the signal while the call is held; False if the run ended without it."""
        try:
            if not run.happens(self.arrived.is_set, "its call"):
                return False
            signal()
            return True
        finally:
            self.go_on()


@dataclass(frozen=True, slots=True)
class AfterSeconds:
    """So long after the start of the process."""

    seconds: float

    def send(self, run: OtherRun, proxy: CountingProxy, signal: Callable[[], None]) -> bool:  # noqa: ARG002 (the protocol's shape)
        try:
            run.process.wait(self.seconds)
        except TimeoutExpired:
            signal()
            return True
        return False

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s after its start"


@dataclass(frozen=True, slots=True)
class AtCall:
    """While the run waits for the answer to one of its calls to the metastore."""

    number: int

    def send(self, run: OtherRun, proxy: CountingProxy, signal: Callable[[], None]) -> bool:
        return proxy.begin(self.number).send(run, signal)

    def __str__(self) -> str:
        return f"in metastore call {self.number}"


@dataclass(frozen=True, slots=True)
class InCommit:
    """While the commit call of a model is under way."""

    schema: str
    table: str

    def send(self, run: OtherRun, proxy: CountingProxy, signal: Callable[[], None]) -> bool:
        held = HeldCall()
        with proxy.at(SWAP, self.schema, self.table, held.hold):
            return held.send(run, signal)

    def __str__(self) -> str:
        return f"in the commit call of {self.table}"


@dataclass(frozen=True, slots=True)
class Span:
    """How long an undisturbed run takes, and how many calls it makes."""

    seconds: float
    calls: int

    def moment(self, random: Random, schema: str) -> Moment:
        """One of all of them; of ten, four are times, four calls, two commit calls."""
        kind = random.randrange(10)
        if kind < 4:
            return AfterSeconds(random.uniform(0, self.seconds))
        if kind < 8:
            return AtCall(random.randint(1, self.calls))
        return InCommit(schema, random.choice(TABLES))
