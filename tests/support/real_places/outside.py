"""What is there of a project with a node of every kind: what readers see, and what was left."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException

from ctas_spark.engines import jvm
from every_node.content import inspect
from every_node.project import Node
from functional.outside import STAGING, Outside
from readers.content import WrongContentError
from readers.session import small_session
from real_places.shared import Place

VERSION_PARTS = 4
"""Of a version's path below the schema's directory: ctas-spark, staging id, table, version."""
UNFINISHED = ("_temporary", "__magic", ".spark-staging")
"""How names of a job's own directories begin."""
VERSION = "ctas_spark_version"
KEPT = 2
"""The live version and the one before it."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What readers get of each node: its last round, or the fault; and what lies beside that.

    Attributes:
        types: that of the further column, where a node has it.
        left: how many versions, other paths, uploads and entries nothing needs any more.
    """

    shown: Mapping[str, int | str]
    types: Mapping[str, str]
    left: Mapping[str, int]


class Judge:
    """A small session of its own next to a client of the metastore; neither uses the product.

    ``published`` has the versions that each node was seen to show, the last one last.
    """

    def __init__(self, place: Place, schema: str, nodes: Mapping[str, Node]) -> None:
        self.published: dict[str, list[str]] = {}
        self._place, self._schema, self._nodes = place, schema, nodes
        self._spark = small_session(place.judging)
        self._outside = Outside(place.metastore, schema)

    def look(self) -> Sight:
        """At everything."""
        there = set(self._outside.tables())
        seen = {name: self._read(name) for name in self._nodes if name in there}
        for name in seen:
            self._note(name)
        shown = {name: seen.get(name, ("absent", ""))[0] for name in self._nodes}
        types = {name: kind for name, (_, kind) in seen.items() if kind}
        return Sight(shown, types, self._left(there))

    def make_shared(self, group: str) -> None:
        """The schema's directory on HDFS, of a group that writes there, below everyone's."""
        of_hadoop = jvm.classes(self._spark).org.apache.hadoop.fs
        directory = f"{self._place.warehouse}/{self._schema}.db"
        for path, mode in ((self._place.warehouse, 0o1777), (directory, 0o775)):
            target = of_hadoop.Path(path)
            system = target.getFileSystem(jvm.hadoop_configuration(self._spark))
            system.mkdirs(target)
            system.setPermission(target, of_hadoop.permission.FsPermission(mode))
            system.setOwner(target, None, group)

    def _read(self, name: str) -> tuple[int | str, str]:
        session, table = self._spark.newSession(), f"{self._schema}.{name}"
        try:
            session.sql(f"REFRESH TABLE {table}")
            frame = session.table(table)
            schema = [(one.name, one.dataType.simpleString()) for one in frame.schema]
            kind = dict(schema).get("extra", "")
            return inspect(self._nodes[name].shape, schema, frame.collect()), kind
        except (WrongContentError, PySparkException) as error:
            return str(error).splitlines()[0], ""

    def _note(self, name: str) -> None:
        live = self._outside.parameters(name).get(VERSION)
        if live:
            before = [one for one in self.published.get(name, []) if one != live]
            self.published[name] = [*before, live]

    def _left(self, there: set[str]) -> Mapping[str, int]:
        versions, others = set(), 0
        for parts in self._paths():
            if len(parts) < VERSION_PARTS:
                continue
            table, version = parts[2].rpartition(".")[2], parts[3]
            versions.add((table, version))
            is_unfinished = any(one.startswith(UNFINISHED) for one in parts)
            others += is_unfinished and self._is_needed(table, version)
        records = {tuple(one.rsplit("__", 1)) for one in self._outside.records()}
        records -= {tuple(one.rsplit("__", 1)) for one in self._outside.tombstones()}
        counted = Counter(
            versions=sum(not self._is_needed(*one) for one in versions | records),
            paths=others,
            uploads=len(self._place.uploads(self._schema)),
            entries=len(there - self._nodes.keys()),
        )
        return {what: count for what, count in counted.items() if count}

    def _is_needed(self, table: str, version: str) -> bool:
        return version in self.published.get(table, [])[-KEPT:]

    def _paths(self) -> Iterator[Sequence[str]]:
        """Everything below the schemas' directories, by its parts below that."""
        of_hadoop = jvm.classes(self._spark).org.apache.hadoop.fs
        for schema in (self._schema, self._schema + STAGING):
            root = of_hadoop.Path(f"{self._place.warehouse}/{schema}.db")
            system = root.getFileSystem(jvm.hadoop_configuration(self._spark))
            if system.exists(root):
                length = len(str(root.toUri().getPath())) + 1
                for path in _below(system, root):
                    yield path[length:].split("/")


def _below(system: Any, directory: Any) -> Iterator[str]:
    for one in system.listStatus(directory):
        path = one.getPath()
        yield str(path.toUri().getPath())
        if one.isDirectory():
            yield from _below(system, path)
