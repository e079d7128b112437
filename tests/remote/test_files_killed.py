"""kill -9 of dbt, or of the server, while tables of files are published over it."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.other_process import other_dbt, other_run
from functional.dbt_project import Project
from long import long
from servers.metastore import Metastore
from servers.remote import RemoteServer, spark_of_files

MODEL = """
{{ config(materialized='table', versions_to_keep=0) }}
select id, '{{ var("name") }}' as name
from range(0, 3, 1, 1)
{% if var("waits", false) %}
where java_method('java.lang.Thread', 'sleep', 3600000L) is null
{% endif %}
"""
VACUUM = ("run-operation", "ctas_vacuum", "--args", "{older_than: 0, fence: true}")
_numbers = itertools.count(1)
OLD, NEW = [("old", 3)], [("new", 3)]
MOMENTS = (
    (("begin", "entered"), OLD),
    (("stage", "entered"), OLD),
    (("verify", "entered"), OLD),
    (("commit", "entered"), OLD),
    (("publish", "entered"), OLD),
    (("publish", "left"), NEW),
    (("settle", "entered"), NEW),
)
IN_SHORT = (MOMENTS[2], MOMENTS[5])
WITHOUT_THE_SERVER = (
    (("verify", "entered"), OLD),
    (("commit", "entered"), NEW),
    (("publish", "entered"), NEW),
    (("publish", "left"), NEW),
)
"""What is published then: the call is one of the metastore's, and the server has no part in it."""


class Place:
    """A project of one model, and its servers."""

    def __init__(self, directory: Path, metastore: Metastore, method: str) -> None:
        self.project = Project(directory / "project", f"killed_{next(_numbers)}", {})
        self._metastore = metastore
        self._method = method
        self.project.directory.mkdir()

    def use(self, server: RemoteServer) -> None:
        """From now on dbt runs over this server."""
        self.project.write({"models/model.sql": MODEL})
        profile = {**server.profile(self._method), "metastore": self._metastore.uri}
        self.project.write_profile("ctas_spark", **profile)
        self.server = server

    def names(self) -> list[tuple[object, ...]]:
        """The names in the table, as a new session of somebody else's reads them."""
        session = self.server.new_session()
        try:
            asked = f"select name, count(*) from {self.project.schema}.model group by name"
            return [tuple(row) for row in session.sql(asked).collect()]
        finally:
            session.stop()

    def versions(self) -> list[str]:
        """What lies on the storage of the table, be it a version or left of one."""
        return sorted(one.name for one in self._staged("*"))

    def tasks(self) -> int:
        """How many tasks of CTASs have begun and not ended; they write nothing yet."""
        return len([*self._staged("*/_temporary/0/_temporary/*")])

    def _staged(self, pattern: str) -> Iterator[Path]:
        schema = self.project.schema
        below = f"{schema}.db/ctas-spark/*/{schema}.model/{pattern}"
        return self._metastore.warehouse.glob(below)

    def check_that_nothing_is_left(self) -> None:
        """The next run builds; once it is old, nothing is left but the live version."""
        self.project.build(name="later")
        assert self.names() == [("later", 3)]
        vacuum = self.project.dbt(*VACUUM)
        assert vacuum.success, vacuum.log
        assert self.names() == [("later", 3)]
        assert len(self.versions()) == 1, vacuum.log


@pytest.mark.parametrize("moments", [IN_SHORT, long(MOMENTS)], ids=["two", "every"])
@pytest.mark.parametrize("method", ["thrift", long("connect")])
def test_whatever_is_killed_leaves_old_or_new(
    method: str,
    moments: tuple[tuple[tuple[str, str], object], ...],
    servers: tuple[RemoteServer, Metastore],
    tmp_path: Path,
) -> None:
    """dbt at every step and in its CTAS, then the server in the CTAS.

    That has no file yet that SQL would list.
    The next run builds as if it had not been, and once it is old nothing of it is left.
    """
    another, metastore = servers
    place = Place(tmp_path, metastore, method)
    with spark_of_files(tmp_path / "killed", metastore) as server:
        place.use(server)
        for (step, side), left in moments:
            place.project.build(name="old")
            with other_run(place.project, "--step", step, "--side", side, name="new") as run:
                run.wait_until_stopped()
                run.kill()
            assert place.names() == left, (step, side)
        place.project.build(name="old")
        if moments == MOMENTS:
            with other_dbt(place.project, name="new", waits=True) as run:
                run.wait_until(lambda: place.tasks() == 1, "a task of the CTAS")
                run.kill()
            assert place.names() == OLD
            place.project.build(name="old")  # beside the CTAS, which may still run
        others = place.tasks()
        with other_dbt(place.project, name="new", waits=True) as run:
            run.wait_until(lambda: place.tasks() > others, "a task of the CTAS")
            server.kill()
            assert run.ended() == 1
            assert "still holds version" in run.log.read_text()
    place.use(another)
    assert place.names() == OLD
    place.check_that_nothing_is_left()


@pytest.mark.long
@pytest.mark.parametrize("method", ["connect", "thrift"])
@pytest.mark.parametrize(("moment", "left"), WITHOUT_THE_SERVER, ids=str)
def test_a_server_that_is_killed_later_leaves_old_or_new(
    method: str,
    moment: tuple[str, str],
    left: object,
    servers: tuple[RemoteServer, Metastore],
    tmp_path: Path,
) -> None:
    """dbt goes on without it; a model that is published has succeeded."""
    another, metastore = servers
    place = Place(tmp_path, metastore, method)
    step, side = moment
    with spark_of_files(tmp_path / "killed", metastore) as server:
        place.use(server)
        place.project.build(name="old")
        with other_run(place.project, "--step", step, "--side", side, name="new") as run:
            run.wait_until_stopped()
            server.kill()
            run.go_on()
            assert run.ended() == (0 if left == NEW else 1), run.log.read_text()
    place.use(another)
    assert place.names() == left
    place.check_that_nothing_is_left()
