"""What tells two metastores apart that share a storage: every process sees it alike."""

from pathlib import Path

DERBY = "jdbc:derby:"
NAME = "databaseName="
IN_DIRECTORY = "directory:"


def metastore_identity(uris: str, connection_url: str, directory: Path) -> str:
    """The server's URIs, or where the database lies that this process opens by itself.

    Args:
        directory: the process's own, from which Derby takes a relative path.
    """
    if uris:
        return uris
    if not connection_url.startswith(DERBY):
        return connection_url
    subname, *attributes = connection_url.removeprefix(DERBY).split(";")
    named = [one.removeprefix(NAME) for one in attributes if one.startswith(NAME)]
    database = named[0] if named else subname.removeprefix(IN_DIRECTORY)
    return f"{DERBY}{directory / database}"
