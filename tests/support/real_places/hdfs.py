"""A dbt project on HDFS, run by several users, and what lies there."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from ctas_spark.engines import jvm
from functional.dbt_project import Project, Run
from real_places.embedded import started_project

ALICE, BOB, CAROL = "alice", "bob", "carol"
GROUP = "analysts"
GROUPS = f"{ALICE}={GROUP};{BOB}={GROUP};{CAROL}=visitors"
SHARED = 0o775
LOCATIONS = (
    ("DBS", "DB_LOCATION_URI"),
    ("SDS", "LOCATION"),
    ("SERDE_PARAMS", "PARAM_VALUE"),
)
"""Where a metastore keeps locations, in its database."""
LINKS = "links"
"""The name of a file system of links (viewfs), with /linked for the warehouse."""


@dataclass(frozen=True, slots=True)
class Hdfs:
    """The warehouse is everyone's, as Hive makes it; the schema's directory is the group's."""

    address: str
    project: Project

    @classmethod
    def new(cls, address: str, metastore: Path, directory: Path, schema: str) -> "Hdfs":
        """An empty schema, and a project that is run in this process."""
        warehouse = f"{address}/warehouse"
        linked = {f"spark.hadoop.fs.viewfs.mounttable.{LINKS}.link./linked": warehouse}
        place = cls(address, started_project(directory, schema, warehouse, metastore, **linked))
        place.make("/warehouse", 0o1777)
        place.make(place.directory, SHARED)
        return place

    def create_schema(self, location: str | None = None) -> None:
        """Where HDFS has it, or at another spelling of that."""
        where = location or f"{self.address}{self.directory}"
        self.sql(f"create schema {self.project.schema} location '{where}'")

    @property
    def directory(self) -> str:
        """The schema's, on HDFS."""
        return f"/warehouse/{self.project.schema}.db"

    @property
    def spark(self) -> SparkSession:
        return SparkSession.active()

    def dbt(self, user: str, *arguments: str, **variables: object) -> Run:
        """Run dbt as a user, as ``HADOOP_USER_NAME`` does it for a process."""
        self.act_as(user)
        try:
            return self.project.dbt(*(arguments or ("run",)), **variables)
        finally:
            self.act_as(None)

    def act_as(self, user: str | None) -> None:
        """From now on this process calls HDFS as that user, or as the one who has started it."""
        of_hadoop = self._hadoop.security.UserGroupInformation
        of_hadoop.setLoginUser(of_hadoop.createRemoteUser(user) if user else None)

    def sql(self, statement: str) -> list[Any]:
        """A statement of the process's own user."""
        return self.spark.sql(statement).collect()

    def rows(self, model: str) -> list[tuple[object, ...]]:
        """What a new session reads."""
        table = f"{self.project.schema}.{model}"
        return [tuple(row) for row in self.project.rows(f"select * from {table}")]

    def shell(self, user: str, command: str) -> None:
        """A command of ``hdfs dfs``, by a user."""
        self.act_as(user)
        try:
            made = self._hadoop.fs.FsShell(jvm.hadoop_configuration(self.spark))
            words = command.removeprefix("hdfs dfs ").split()
            assert made.run(jvm.strings(self.spark, *words)) == 0, command
        finally:
            self.act_as(None)

    def close_to_the_group(self) -> None:
        """As the directories of versions are where Spark makes them."""
        for path in self.modes():
            target = self.path(f"{self.directory}/{path}")
            self.system.setPermission(target, self._hadoop.fs.permission.FsPermission(0o755))

    def rename(self, to: str) -> None:
        """Rename the schema's directory, and follow that as ``metatool -updateLocation`` does.

        With ``-serdePropKey path``, without which Spark goes on looking at the old place.
        """
        old, new = (f"{self.address}{one}" for one in (self.directory, to))
        assert self.system.rename(self.path(old), self.path(new))
        database = self.project.conf["spark.hadoop.javax.jdo.option.ConnectionURL"]
        connected = jvm.classes(self.spark).java.sql.DriverManager.getConnection(database)
        for table, column in LOCATIONS:
            text = f"CAST({column} AS VARCHAR(4000))"
            moved = f"'{new}' || SUBSTR({text}, {len(old) + 1})"
            connected.prepareStatement(
                f"UPDATE {table} SET {column} = {moved} WHERE {text} LIKE '{old}%'"
            ).executeUpdate()
        connected.close()

    def make(self, path: str, mode: int) -> None:
        """A directory of the group."""
        system, target = self.system, self.path(path)
        system.mkdirs(target)
        system.setPermission(target, self._hadoop.fs.permission.FsPermission(mode))
        system.setOwner(target, None, GROUP)

    def modes(self) -> dict[str, str]:
        """Owner, group and mode of each directory below the schema's, by its path in there."""
        found = self.system.listStatus(self.path(self.directory))
        told: dict[str, str] = {}
        statuses = list(found)
        while statuses:
            one = statuses.pop()
            if one.isDirectory():
                path = str(one.getPath().toUri().getPath()).removeprefix(f"{self.directory}/")
                told[path] = f"{one.getOwner()}:{one.getGroup()} {one.getPermission()}"
                statuses += list(self.system.listStatus(one.getPath()))
        return told

    def files(self) -> Iterable[str]:
        """Every file below the schema's directory, by its path in there."""
        listed = self.system.listFiles(self.path(self.directory), True)
        while listed.hasNext():
            path = str(listed.next().getPath().toUri().getPath())
            yield path.removeprefix(f"{self.directory}/")

    @property
    def _hadoop(self) -> Any:
        return jvm.classes(self.spark).org.apache.hadoop

    @property
    def system(self) -> Any:
        """Hadoop's own client, with what only administrators call."""
        root = self.path("/")
        return root.getFileSystem(jvm.hadoop_configuration(self.spark))

    def path(self, path: str) -> Any:
        """A path of Hadoop's."""
        return self._hadoop.fs.Path(path if "://" in path else f"{self.address}{path}")
