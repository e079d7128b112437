"""A column that tells dbt's macros what kind of type it has, by Spark's names of types."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ctas_spark import quoting
from ctas_spark.statement.shapes import CUT
from dbt.adapters.base.column import Column
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.spark.column import SparkColumn
from dbt.adapters.spark.impl import KEY_TABLE_OWNER, KEY_TABLE_STATISTICS

INTEGERS = frozenset(("tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long"))
STRINGS = frozenset(("string", "varchar", "char", "character"))
NUMERICS = frozenset(("decimal", "dec", "numeric"))


def types_query(relation: BaseRelation, columns: Sequence[Column]) -> str:
    """Select the whole types of columns of which DESCRIBE has shown a part.

    There is one row, also of an empty table, and no row is read.
    """
    types = ", ".join(f"typeof({quoting.identifier(one.column)})" for one in columns)
    return f"SELECT {types} FROM (SELECT 1) LEFT JOIN {relation} ON false"  # noqa: S608 (quoted)


@dataclass(repr=False)
class CtasSparkColumn(SparkColumn):
    """dbt-spark's knows only PostgreSQL's names: to it, an ``int`` is no number."""

    @classmethod
    def described(cls, relation: BaseRelation, rows: Sequence[Any]) -> list["CtasSparkColumn"]:
        """The columns in the rows of DESCRIBE EXTENDED; what has no type is a heading, or nothing.

        dbt-spark takes a column whose name begins with ``#`` for a heading, and ends there.
        """
        end = next((at for at, row in enumerate(rows) if not row["data_type"]), len(rows))
        described = {row["col_name"]: row["data_type"] for row in rows[end + 1 :]}
        return [
            cls(
                table_database=None,
                table_schema=relation.schema,
                table_name=relation.name,
                table_type=relation.type,
                table_owner=str(described.get(KEY_TABLE_OWNER)),
                table_stats=SparkColumn.convert_table_stats(described.get(KEY_TABLE_STATISTICS)),
                column=row["col_name"],
                column_index=index,
                dtype=row["data_type"],
            )
            for index, row in enumerate(rows[:end])
        ]

    @property
    def quoted(self) -> str:
        """Its name in backticks, those in it included."""
        return quoting.identifier(self.column)

    @property
    def is_cut(self) -> bool:
        """True if its type shows only the first fields of a struct."""
        return CUT.search(self.dtype) is not None

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
