"""Where a test's rivals, readers and users live: a process or a thread of their own."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from contract.contents import ordered
from contract.places import UnreadableError
from contract.spark_others import SparkOthers
from readers.child import Child, running_child, wait_ready

ANSWERS_WITHIN_SECONDS = 300.0
SCRIPT = Path(__file__).with_name("rival.py")


class RivalError(Exception):
    """The rival's call failed in its process; the message is its error."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Others in another process or thread: each call is handed over by its name."""

    hand_over: Callable[[str, Sequence[object]], Any]

    def prepare(self, table: str, asked: Sequence[str], layout: str, number: int) -> str:
        return str(self._call("prepare", table, asked, layout, number))

    def publish(self, version: str) -> None:
        self._call("publish", version)

    def settle(self, version: str) -> None:
        self._call("settle", version)

    def commit(self, version: str) -> None:
        self._call("commit", version)

    def plain(self, table: str, layout: str, number: int) -> None:
        self._call("plain", table, layout, number)

    def view(self, table: str) -> None:
        self._call("view", table)

    def drop(self, table: str) -> None:
        self._call("drop", table)

    def set_property(self, table: str, key: str, value: str) -> None:
        self._call("set_property", table, key, value)

    def insert(self, table: str, layout: str, number: int) -> None:
        self._call("insert", table, layout, number)

    def show_partitions(self, table: str) -> list[str]:
        return list(self._call("show_partitions", table))

    def repair(self, table: str) -> None:
        self._call("repair", table)

    def read(self, table: str) -> dict[str, Any]:
        return _read(self._call("read", table))

    def hold(self, table: str) -> None:
        self._call("hold", table)

    def read_held(self, table: str) -> dict[str, Any]:
        return _read(self._call("read_held", table))

    def _call(self, name: str, *arguments: object) -> Any:
        return self.hand_over(name, arguments)


def _read(answer: Mapping[str, Any]) -> dict[str, Any]:
    """JSON knows no tuples."""
    columns = tuple((name, type_) for name, type_ in answer["columns"])
    return {"columns": columns, "rows": ordered(answer["rows"])}


@contextmanager
def in_a_process(
    conf: Mapping[str, str], staging_schema: str, directory: Path, *, repeatable_reads: bool
) -> Iterator[Elsewhere]:
    """Others in a process of their own; its journal and log lie in ``directory``."""
    arguments = ["--conf", json.dumps(dict(conf)), "--staging-schema", staging_schema]
    if not repeatable_reads:
        arguments.append("--mixed-reads")
    with running_child("rival", str(SCRIPT), arguments, directory) as child:
        wait_ready(child)
        yield Elsewhere(partial(_ask, child))


@contextmanager
def in_a_thread(spark: SparkSession, staging_schema: str) -> Iterator[Elsewhere]:
    """Others in another session of this process; Spark's job groups belong to threads."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        others = thread.submit(SparkOthers, spark.newSession(), staging_schema).result()
        yield Elsewhere(
            lambda name, arguments: thread.submit(getattr(others, name), *arguments).result()
        )
        thread.submit(others.close).result()


def _ask(child: Child, name: str, arguments: Sequence[object]) -> Any:
    answered = len(child.lines())
    child.tell(json.dumps([name, arguments]))
    child.wait_for_lines(answered + 1, ANSWERS_WITHIN_SECONDS)
    answer = child.lines()[answered]
    if "kind" in answer:
        error = UnreadableError if answer["kind"] == UnreadableError.__name__ else RivalError
        raise error(f"{name}{arguments}: {answer['kind']}: {answer['message']}")
    return answer["result"]
