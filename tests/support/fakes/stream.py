"""A streaming DataFrame whose query keeps its checkpoint as Spark does, on a storage in memory."""

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from fakes.storage import FakeStorage

FIRST_ID = "the id of the first run"


class NoLeaves:
    """A plan, and all that leads to it, that reads no files."""

    def __getattr__(self, _name: str) -> Any:
        return lambda: self

    def size(self) -> int:
        return 0


@dataclass
class FakeStream:
    """Each row of its ``source`` is a batch of its own; ``taken`` are the rows of the last run.

    ``breaks`` ends a query within its last batch, and ``hangs`` never ends it. ``ids`` are those of
    its queries, and ``running`` counts the queries that were not stopped.
    """

    storage: FakeStorage
    source: list[str]
    taken: list[str] = field(default_factory=list)
    breaks: bool = False
    hangs: bool = False
    running: int = 0
    ids: list[str] = field(default_factory=list)
    schema: str = "n int"
    _jdf: NoLeaves = field(default_factory=NoLeaves)
    _checkpoint: str = ""

    @property
    def writeStream(self) -> "FakeStream":  # noqa: N802 (PySpark's word)
        return self

    @property
    def sparkSession(self) -> Any:  # noqa: N802 (PySpark's word)
        """A session that reads what the last run has written."""
        with_schema = SimpleNamespace(parquet=lambda _directory: self.taken)
        return SimpleNamespace(read=SimpleNamespace(schema=lambda _schema: with_schema))

    def format(self, _name: str) -> "FakeStream":
        return self

    def outputMode(self, mode: str) -> "FakeStream":  # noqa: N802 (PySpark's word)
        assert mode == "append"
        return self

    def trigger(self, *, availableNow: bool) -> "FakeStream":  # noqa: N803 (PySpark's word)
        assert availableNow
        return self

    def option(self, name: str, value: str) -> "FakeStream":
        assert name == "checkpointLocation"
        self._checkpoint = value
        return self

    def start(self, directory: str) -> "FakeStream":
        """Take what is new, batch by batch."""
        self.running += 1
        self._identify()
        known = len(self.storage.children(f"{self._checkpoint}/commits"))
        self.taken = self.source[known:]
        for number, row in enumerate(self.taken, start=known):
            self.storage.write(f"{self._checkpoint}/offsets/{number}", row)
            self.storage.write(f"{directory}/part-{number}.parquet", row)
            if not (self.breaks and row == self.taken[-1]):
                self.storage.write(f"{self._checkpoint}/commits/{number}", row)
        return self

    def awaitTermination(self, _seconds: float) -> bool:  # noqa: N802 (PySpark's word)
        return not self.hangs

    def stop(self) -> None:
        self.running -= 1

    def _identify(self) -> None:
        path = f"{self._checkpoint}/metadata"
        if self.storage.read(path) is None:
            self.storage.write(path, json.dumps({"id": FIRST_ID}))
        self.ids.append(json.loads(self.storage.read(path) or "")["id"])
