"""The staging namespace of a catalog that has namespaces of its own."""

from typing import Protocol

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.engines.protocol import Statements
from dbt.adapters.ctas_spark.staging.errors import StagingSchemaError


class Namespaces(Protocol):
    """A catalog's namespaces; every call raises MetastoreError."""

    name: str

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is there."""


def make(namespaces: Namespaces, engine: Statements, namespace: str) -> None:
    """Make a namespace if it is not there.

    Raises:
        StagingSchemaError: it is not there, and can't be made.
    """
    if not namespaces.has_namespace(namespace):
        _create(namespaces.name, engine, namespace)


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
