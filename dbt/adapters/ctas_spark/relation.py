"""dbt's relations with their full path: database (a Spark catalog), schema and identifier."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import ComponentName, Policy
from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import (
    SESSION_CATALOG,
    TableName,
    catalog_of,
    levels,
    table_name,
)
from dbt.adapters.spark.relation import SparkRelation

TEMPORARY = "__dbt_tmp"


@dataclass(frozen=True, eq=False, repr=False)
class CtasSparkRelation(SparkRelation):
    """A relation in any catalog; SQL leaves out the session catalog.

    Without a schema it is the name of a temporary view, which is in no catalog. With a ``branch``
    it is that branch of an Iceberg table.
    """

    include_policy: Policy = field(default_factory=Policy)
    branch: str = ""

    def __post_init__(self) -> None:
        if self.path.schema is not None:
            full = self.path.replace(database=catalog_of(self.path.database))
            object.__setattr__(self, "path", full)

    @property
    def full_name(self) -> TableName:
        """The path by which Spark finds the table."""
        name = table_name(self.database, str(self.schema), str(self.identifier))
        return replace(name, branch=self.branch)

    @property
    def schemas(self) -> Iterator[str]:
        """The namespaces that its schema needs, the outermost first, as statements name them."""
        catalog = catalog_of(self.database)
        for path in accumulate(levels(catalog, str(self.schema)), "{}.{}".format):
            yield quoting.namespace(catalog, path)

    @property
    def in_session_catalog(self) -> bool:
        """True if Spark finds it without the name of a catalog."""
        return self.database in (None, SESSION_CATALOG)

    def include(
        self,
        database: bool | None = None,  # noqa: FBT001 (dbt's own signature)
        schema: bool | None = None,  # noqa: FBT001 (dbt's own signature)
        identifier: bool | None = None,  # noqa: FBT001 (dbt's own signature)
    ) -> "CtasSparkRelation":
        """The relation with some parts of its path.

        A temporary view is written by its identifier alone, and all models of a session share the
        names of these: so it gets a name that no other schema or database has.
        """
        made = super().include(database, schema, identifier)
        shown = made.include_policy
        if shown.database or shown.schema or not str(made.identifier).endswith(TEMPORARY):
            return made
        path = repr((made.database, made.schema, made.identifier))
        own = hashlib.sha256(path.encode()).hexdigest()[:8]
        return made.replace(path=made.path.replace(identifier=f"{made.identifier}_{own}"))

    def render(self) -> str:
        """The parts to show, with dots between them; dbt-spark's refuses more than two."""
        return BaseRelation.render(self)

    def _render_iterator(self) -> Iterator[tuple[ComponentName | None, str | None]]:
        for key, part in super()._render_iterator():
            is_implied = self.in_session_catalog and not self.branch
            if key is ComponentName.Database and is_implied:
                yield key, None
            elif key is ComponentName.Schema and part is not None and not self.in_session_catalog:
                yield key, part.replace(".", "`.`") if part.startswith("`") else part
            else:
                yield key, part
        if self.branch:
            yield None, quoting.identifier(f"branch_{self.branch}")
