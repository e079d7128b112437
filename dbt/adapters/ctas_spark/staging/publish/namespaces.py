"""The staging namespaces of a catalog of Spark's connectors (DataSource V2), made when needed."""

import threading
from typing import Protocol

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.engines.protocol import Statements
from dbt.adapters.ctas_spark.staging.errors import StagingSchemaError


class Namespaces(Protocol):
    """A catalog's namespaces; every call raises MetastoreError."""

    name: str

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is there."""


class StagingNamespaces:
    """Looks for each namespace once, whichever thread asks first."""

    def __init__(self, namespaces: Namespaces, engine: Statements) -> None:
        self._namespaces = namespaces
        self._engine = engine
        self._guard = threading.Lock()
        self._known: set[str] = set()

    def ensure(self, namespace: str) -> None:
        """Make a namespace if it is not there.

        Raises:
            StagingSchemaError: it is not there, and can't be made.
        """
        with self._guard:
            if namespace in self._known:
                return
            if not self._namespaces.has_namespace(namespace):
                self._create(namespace)
            self._known.add(namespace)

    def _create(self, namespace: str) -> None:
        catalog = self._namespaces.name
        path = ".".join(quoting.identifier(part) for part in (catalog, namespace))
        statement = f"CREATE NAMESPACE IF NOT EXISTS {path}"
        try:
            self._engine.sql(statement)
        except Exception as error:  # whatever the engine raises: the remedy is the same
            raise StagingSchemaError(
                f"the staging namespace {catalog}.{namespace} does not exist and can't be "
                f"created: {error}",
                left="nothing was started",
                remedy=f"an administrator runs: {statement}",
            ) from error
