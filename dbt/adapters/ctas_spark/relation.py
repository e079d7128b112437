"""dbt's relations with their full path: database (a Spark catalog), schema and identifier."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from ctas_spark import quoting, temporary
from ctas_spark.context import (
    SESSION_CATALOG,
    TableName,
    catalog_of,
    levels,
    table_name,
)
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import (
    ComponentName,
    HasQuoting,
    Policy,
    RelationConfig,
)
from dbt.adapters.spark.relation import SparkRelation

TEMPORARY = "__dbt_tmp"


class InputLimit:
    """How many rows a preview reads of each table at most: dbt makes relations without asking."""

    rows: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class CtasSparkRelation(SparkRelation):
    """A relation in any catalog; SQL leaves out the session catalog.

    Without a schema it is the name of a temporary view, which is in no catalog. With a ``branch``
    it is that branch of an Iceberg table.
    """

    include_policy: Policy = field(default_factory=Policy)
    branch: str = ""
    is_clone: bool = False
    """Whether it is a view that dbt clone has made; of other catalogs' views nobody knows."""
    is_shown: bool = False
    """Whether its path is only for a reader, and nothing takes its place."""

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
    def shadow(self) -> str | None:
        """The name of the temporary object that shadows its path; None if nothing does."""
        shown = self.include_policy
        if self.is_shown or self.branch or not (shown.schema and shown.identifier):
            return None
        if self.schema is None or self.identifier is None:
            return None
        return temporary.name_of(self.full_name, is_function=self.is_function)

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

    @classmethod
    def create_from(
        cls,
        quoting: HasQuoting,
        relation_config: RelationConfig,
        **kwargs: Any,
    ) -> "CtasSparkRelation":
        """The relation of a node; ``ref`` and ``source`` pass a limit, and ``this`` does not.

        The lines on the console are what passes a ``quote_policy``.
        """
        kwargs["is_shown"] = "quote_policy" in kwargs
        if "limit" in kwargs and kwargs["limit"] is None:
            kwargs["limit"] = InputLimit.rows
        return super().create_from(quoting, relation_config, **kwargs)

    def render(self) -> str:
        """The parts to show, with dots between them; dbt-spark's refuses more than two.

        Of a path that a temporary object shadows, it is the name of that.
        """
        return self.shadow or BaseRelation.render(self)

    def __hash__(self) -> int:
        """The same whether its path is shadowed or not."""
        return hash(BaseRelation.render(self))

    def render_limited(self) -> str:
        """The first rows, by a clause: in a subquery, columns would lose the table's name."""
        if not self.limit:
            return super().render_limited()
        return self.shadow or f"{self.render()} TABLESAMPLE ({self.limit} ROWS)"

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
