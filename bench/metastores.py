"""Whether one of several writers wins on a metastore server, round after round.

    PYTHONPATH=tests/support python bench/metastores.py --hive 4.0.1 --database mariadb

It is about the server alone: each writer is a thread with the adapter's client over Thrift, and no
Spark runs. All writers of a round replace one entry at the same moment, each on the condition that
it is as they saw it. ``--database mariadb`` needs Debian's package mariadb-server.

The command fails if the adapter takes the server's comparison for one that holds, and a round had
not one winner.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from ctas_spark.context import TableName
from ctas_spark.errors import EntryModifiedError
from ctas_spark.metastore.client import EntryChange, Expectation, TableEntry
from ctas_spark.metastore.connections import ThriftMetastore
from results_file import write_figures
from servers.mariadb import running_mariadb
from servers.metastore import NO_SETTINGS, Metastore, running_metastore
from servers.metastore_on_mariadb import connected
from servers.other_hive import SERVERS, running_hive
from servers.versions import versions

SPARKS_OWN = "2.3.10"
TABLE, KEY = TableName("default", "contended"), "version"


def main() -> None:
    """Run, print and keep the figures; fail if the adapter trusts a comparison that fails."""
    asked = _options()
    with (
        tempfile.TemporaryDirectory() as directory,
        _server(asked.hive, asked.database, Path(directory)) as server,
    ):
        trusted, winners = _races(server, asked.writers, asked.rounds)
    figures = {
        "database": asked.database,
        "writers": asked.writers,
        "rounds": asked.rounds,
        "the adapter relies on its comparison": trusted,
        "rounds by their number of winners": dict(sorted(winners.items())),
        "cores": os.cpu_count(),
        "on": {**versions(), "hive metastore": asked.hive},
    }
    print(json.dumps(figures, indent=1))
    if asked.out:
        write_figures(asked.out, figures)
    sys.exit(trusted and set(winners) != {1})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hive", choices=[SPARKS_OWN, *SERVERS], default=SPARKS_OWN)
    parser.add_argument("--database", choices=["derby", "mariadb"], default="derby")
    parser.add_argument("--writers", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


@contextmanager
def _server(hive: str, database: str, directory: Path) -> Iterator[Metastore]:
    at, warehouse = directory / "server", directory / "warehouse"
    with ExitStack() as stack:
        settings = NO_SETTINGS
        if database == "mariadb":
            settings = connected(at, stack.enter_context(running_mariadb(at)))
        running = partial(running_hive, hive) if hive in SERVERS else running_metastore
        yield stack.enter_context(running(at, warehouse, settings))


def _races(server: Metastore, writers: int, rounds: int) -> tuple[bool, Counter[int]]:
    clients = [ThriftMetastore(server.uri, user=f"writer{number}") for number in range(writers)]
    scratch = clients[0].scratch_entry(TABLE)
    clients[0].create_table(EntryChange(TABLE, scratch, None, {KEY: "0"}))
    trusted = clients[0].compares_and_swaps(_read(clients[0]), KEY)
    winners = Counter(_winners(clients, number) for number in range(1, rounds + 1))
    for client in clients:
        client.close()
    return trusted, winners


def _winners(clients: list[ThriftMetastore], number: int) -> int:
    """How many replaced the entry that all had read."""
    won: list[int] = []
    together = threading.Barrier(len(clients))

    def write(writer: int, client: ThriftMetastore) -> None:
        base = _read(client)
        new: Mapping[str, str] = {**base.parameters, KEY: f"{number}.{writer}"}
        together.wait()
        try:
            change = EntryChange.of(base, dict(new))
            client.alter_table(change, Expectation(KEY, base.parameters[KEY]))
            won.append(writer)
        except EntryModifiedError:
            pass

    threads = [threading.Thread(target=write, args=each) for each in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(won)


def _read(client: ThriftMetastore) -> TableEntry:
    return client.entries([TABLE])[0]


if __name__ == "__main__":
    main()
