"""A dbt project of tables of files, which a server writes."""

from collections.abc import Mapping
from pathlib import Path

from functional.dbt_project import Project
from servers.metastore import Metastore
from servers.remote import RemoteServer


def project_at(
    directory: Path, files: Mapping[str, str], profile: Mapping[str, object], schema: str
) -> Project:
    """A project of these files."""
    project = Project(directory, schema, {})
    project.write(files)
    project.write_profile("ctas_spark", **profile)
    return project


def profile_of(server: RemoteServer, metastore: Metastore, method: str) -> dict[str, object]:
    """What leads to both."""
    return {**server.profile(method), "metastore": metastore.uri}


def rows_in(server: RemoteServer, query: str) -> list[tuple[object, ...]]:
    """What a new session of somebody else's reads."""
    session = server.new_session()
    try:
        return sorted(tuple(row) for row in session.sql(query).collect())
    finally:
        session.stop()
