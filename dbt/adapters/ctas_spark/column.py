"""A column that tells dbt's macros what kind of type it has, by Spark's names of types."""

import re
from dataclasses import dataclass, fields

from dbt.adapters.base.column import Column
from dbt.adapters.spark.column import SparkColumn

INTEGERS = frozenset(("tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long"))
STRINGS = frozenset(("string", "varchar", "char", "character"))
NUMERICS = frozenset(("decimal", "dec", "numeric"))


@dataclass(repr=False)
class CtasSparkColumn(SparkColumn):
    """dbt-spark's knows only PostgreSQL's names: to it, an ``int`` is no number."""

    @classmethod
    def of(cls, column: SparkColumn) -> "CtasSparkColumn":
        """The same column."""
        return cls(**{one.name: getattr(column, one.name) for one in fields(SparkColumn)})

    @property
    def kind(self) -> str:
        """The type in lower case, without its length or precision."""
        return re.split(r"[(<\s]", self.dtype.lower(), maxsplit=1)[0]

    def is_string(self) -> bool:
        return self.kind in STRINGS

    def is_integer(self) -> bool:
        return self.kind in INTEGERS

    def is_numeric(self) -> bool:
        return self.kind in NUMERICS

    def can_expand_to(self, other_column: Column) -> bool:  # noqa: ARG002 (dbt's shape)
        """Never: a string has no size, and Spark changes no column's type in place."""
        return False
