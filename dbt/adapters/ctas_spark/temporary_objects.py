"""A run's temporary objects, which shadow permanent ones until it ends."""

from ctas_spark import temporary
from ctas_spark.errors import ShadowedError
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.relation import CtasSparkRelation


class TemporaryObjects:
    """What previews, temporary views and temporary functions are made of."""

    def __init__(self, invocation: Invocation, dbt: Dbt) -> None:
        self._invocation = invocation
        self._dbt = dbt
        self._kept = temporary.everything()

    def define_rows(self, query: str) -> None:
        """Make a query the last statement, without computing it."""
        self._dbt.add_query(query)

    def shadow(self, relation: CtasSparkRelation) -> None:
        """Let the last statement's rows be read in place of the relation's, in this run."""
        handle = self._invocation.handle
        temporary.of(handle.of_run).shadow(relation.full_name, handle.frame)

    def shadow_function(self, relation: CtasSparkRelation) -> None:
        """Let a temporary function, which the next statement creates, be called in its place."""
        objects, path = temporary.of(self._invocation.handle.of_run), relation.full_name
        objects.add_function(path, objects.generated(path))

    def clear(self) -> None:
        """The run ends, and with it the temporary objects that it has made."""
        temporary.clear(self._kept)


def refuse_shadowed(relation: object) -> None:
    """Refuse to drop what a temporary object shadows: the name is ambiguous.

    Raises:
        ShadowedError: names the way to drop the temporary object.
    """
    if isinstance(relation, CtasSparkRelation) and relation.shadow:
        raise ShadowedError(
            f"{relation.full_name} can't be dropped: a temporary object of this session shadows it",
            left="both are unchanged",
            remedy="drop that first, by drop_temporary_view, _table or _function of ctas_spark",
        )
