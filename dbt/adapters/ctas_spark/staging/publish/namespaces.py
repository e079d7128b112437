"""The staging namespace of a catalog that has namespaces of its own."""

from typing import Protocol

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.engines.protocol import Statements
from dbt.adapters.ctas_spark.staging.errors import StagingSchemaError
from dbt.adapters.ctas_spark.staging.files.directories import FOLDER, LEASES


class Namespaces(Protocol):
    """A catalog's namespaces; every call raises MetastoreError."""

    name: str

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is there."""


class LocatedNamespaces(Namespaces, Protocol):
    """Namespaces that have directories."""

    def namespace_location(self, namespace: str) -> str | None:
        """The directory of a namespace; None if the catalog does not say it."""


def ensure(namespaces: LocatedNamespaces, engine: Statements, namespace: str) -> None:
    """Make a staging namespace if it is not there, where runs can say that they are alive.

    Raises:
        StagingSchemaError: it is not there, and can't be made.
        StagingSchemaError: it has no directory.
    """
    make(namespaces, engine, namespace)
    leases_of(namespaces, namespace)


def make(namespaces: Namespaces, engine: Statements, namespace: str) -> None:
    """Make a namespace if it is not there.

    Raises:
        StagingSchemaError: it is not there, and can't be made.
    """
    if not namespaces.has_namespace(namespace):
        _create(namespaces.name, engine, namespace)


def leases_of(namespaces: LocatedNamespaces, namespace: str) -> str:
    """The directory of the leases of all runs that stage in a namespace.

    Raises:
        StagingSchemaError: the namespace has no directory.
    """
    location = namespaces.namespace_location(namespace)
    if location is None:
        raise StagingSchemaError(
            f"the namespace {namespace} of the catalog {namespaces.name} names no location, "
            "where runs would say that they are alive",
            left="nothing was started",
            remedy=f"ALTER NAMESPACE {namespaces.name}.{namespace} SET LOCATION '...', or "
            "another staging_schema",
        )
    return f"{location.rstrip('/')}/{FOLDER}/{LEASES}"


def _create(catalog: str, engine: Statements, namespace: str) -> None:
    path = ".".join(quoting.identifier(part) for part in (catalog, namespace))
    statement = f"CREATE NAMESPACE IF NOT EXISTS {path}"
    try:
        engine.sql(statement)
    except Exception as error:  # whatever the engine raises: the remedy is the same
        raise StagingSchemaError(
            f"the staging namespace {catalog}.{namespace} does not exist and can't be created: "
            f"{error}",
            left="nothing was started",
            remedy=f"an administrator runs: {statement}",
        ) from error
