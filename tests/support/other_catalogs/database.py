"""What others do in the PostgreSQL database that models are exported to."""

import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from servers.postgresql import Postgresql

NOTHING = -1
COUNTING = """
CREATE FUNCTION {schema}.seen() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
  RETURN (SELECT count(*) FROM {schema}.exported);
EXCEPTION WHEN undefined_table THEN RETURN -1; END $$
"""


def tables(postgresql: Postgresql, schema: str) -> list[str]:
    """What the database has in a schema."""
    asked = f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}' ORDER BY 1"
    return postgresql.execute(asked).split()


@contextmanager
def polled(postgresql: Postgresql, schema: str) -> Iterator[list[int]]:
    """Ask for the number of rows again and again, as an application does; NOTHING: no table."""
    postgresql.execute(COUNTING.format(schema=schema))
    counts: list[int] = []
    with client(postgresql, f"SELECT {schema}.seen() \\watch 0.01") as process:
        lines = process.stdout or ()
        thread = threading.Thread(target=lambda: counts.extend(map(int, filter(_is_count, lines))))
        thread.start()
        yield counts
        process.kill()
        thread.join()


@contextmanager
def client(postgresql: Postgresql, said: str) -> Iterator[subprocess.Popen[str]]:
    """A process of somebody else's that has said something to the database, and stays."""
    command, environment = postgresql.client()
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        print(said, file=process.stdin, flush=True)
        try:
            yield process
        finally:
            process.kill()


def _is_count(line: str) -> bool:
    return line.strip().lstrip("-").isdecimal()


@contextmanager
def held(postgresql: Postgresql, table: str) -> Iterator[None]:
    """Somebody reads the table in a transaction, so that nothing can rename it."""
    lock = f"BEGIN; LOCK TABLE {table} IN ACCESS SHARE MODE; SELECT 'held';"
    with client(postgresql, lock) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "held"
        yield


def cut_off(postgresql: Postgresql) -> str:
    """End the connection of a rename that waits for a lock."""
    return postgresql.execute(
        "SELECT CASE WHEN pg_terminate_backend(pid) THEN 'ended' END FROM pg_stat_activity "
        "WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE%'"
    )


@contextmanager
def losing_the_answer_to(words: bytes, server: Postgresql) -> Iterator[Postgresql]:
    """The same server at another port, where a connection ends in place of the answer to that."""
    listener = socket.create_server(("127.0.0.1", 0))
    accepting = threading.Thread(target=_relay, args=(listener, server.port, words), daemon=True)
    accepting.start()
    yield replace(server, port=listener.getsockname()[1])
    listener.shutdown(socket.SHUT_RDWR)
    accepting.join()
    listener.close()


def _relay(listener: socket.socket, port: int, words: bytes) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            ends = client, socket.create_connection(("127.0.0.1", port))
            said = threading.Event()
            for source, sink in (ends, ends[::-1]):
                asks = source is client
                pump = threading.Thread(
                    target=_pump, args=(source, sink, words if asks else b"", said), daemon=True
                )
                pump.start()


def _pump(source: socket.socket, sink: socket.socket, words: bytes, said: threading.Event) -> None:
    """Pass on what is said, until the words were said and something comes back."""
    with suppress(OSError):
        while data := source.recv(65_536):
            if words and words in data:
                said.set()
            elif not words and said.is_set():
                break
            sink.sendall(data)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
