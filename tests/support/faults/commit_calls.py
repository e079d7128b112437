"""Four ways to lose the connection at the commit call, each for the proxy."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from servers.proxy import Call, Proxy

SWAP = "alter_table_with_environment_context"
CREATE = ("create_table_with_environment_context", "create_table")
READ = ("get_table_req", "get_table")
REFUSED = b"The table has been modified"
EXISTS = b"already exists"
WITHIN = 300.0


def lose_request(call: Call) -> None:
    """The connection breaks before the request reaches the server."""
    call.break_off()


def lose_connection(call: Call) -> None:
    """The connection breaks as soon as the server has the request."""
    call.forward()
    call.break_off()
    call.answer()


def lose_answer(call: Call) -> None:
    """The connection breaks when the server has done it, and answers."""
    call.forward()
    call.answer()
    call.break_off()


@dataclass(slots=True)
class Held:
    """A call that is held back until ``deliver``; ``answered`` is the server's answer to it."""

    arrived: threading.Event = field(default_factory=threading.Event)
    answered: list[bytes] = field(default_factory=list)
    _released: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)

    def lose_client(self, call: Call) -> None:
        """The client's connection breaks; the request stays under way."""
        call.break_off()
        self.keep_client(call)

    def keep_client(self, call: Call) -> None:
        """The client waits, and gets the answer in the end if it still does."""
        self.arrived.set()
        assert self._released.wait(WITHIN)
        call.forward()
        answer = call.answer()
        self.answered.append(answer.raw)
        self._over.set()
        call.give(answer)

    def deliver(self) -> bytes:
        """Let the request reach the server; the answer, once it is there."""
        self._released.set()
        assert self._over.wait(WITHIN)
        return self.answered[0]


@contextmanager
def held(proxy: Proxy, methods: str | tuple[str, ...], first: str, second: str) -> Iterator[Held]:
    """The next such call on these names loses its client and stays under way."""
    call = Held()
    with proxy.at(methods, first, second, call.lose_client):
        yield call


def after_a_look(proxy: Proxy, database: str, table: str) -> Callable[[Call], None]:
    """The request is delivered once the client has read the table and saw nothing of it."""
    looked = threading.Event()

    def look(call: Call) -> None:
        call.pass_on()
        looked.set()

    def delay(call: Call) -> None:
        with proxy.at(READ, database, table, look):
            call.break_off()
            assert looked.wait(WITHIN)
        call.forward()
        call.answer()

    return delay
