"""How the comments of a table that exists become what the model's YAML says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctas_spark import quoting
from ctas_spark.files.schema import MOST_OF_COMMENT
from dbt.adapters.ctas_spark.invocation import Dbt
from dbt.adapters.ctas_spark.model_columns import comment_statement
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.relations import Relations

OWN_FORMATS = ("delta", "iceberg")
"""Their comments are as long as they like, and partition columns have some, too."""
PARTITIONS = "# Partition Information"


class TableDocs:
    """Comments of a table that exists, for the macros that persist docs."""

    def __init__(self, dbt: Dbt, relations: Relations) -> None:
        self._dbt = dbt
        self._relations = relations

    def column_sql(self, relation: CtasSparkRelation, column: str, text: str) -> str:
        """The statement that comments one column."""
        return comment_statement(relation.full_name, {column: text})

    def persist(
        self,
        table: CtasSparkRelation,
        description: str | None,
        columns: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        """Change those comments of a table that are not what its model says."""
        found = Described.of(self._relations.describe(table))
        for statement in alterations(str(table), found, description, columns):
            self._dbt.execute(statement)


@dataclass(frozen=True, slots=True)
class Described:
    """What DESCRIBE EXTENDED says of a table."""

    comments: Mapping[str, str]
    """Of the columns, by their names."""
    partitions: frozenset[str]
    described: Mapping[str, str]

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> "Described":
        """From its rows of name, type and comment; a row without a type is a heading."""
        listed = [tuple(str(one or "") for one in row) for row in rows]
        end = next((at for at, row in enumerate(listed) if not row[1]), len(listed))
        rest, partitions = listed[end:], list[str]()
        if PARTITIONS in (row[0] for row in rest):
            start = [row[0] for row in rest].index(PARTITIONS) + 2
            ends = next((at for at, row in enumerate(rest) if at >= start and not row[1]), None)
            partitions = [row[0] for row in rest[start:ends]]
        comments = {row[0]: row[2] for row in listed[:end]}
        return cls(comments, frozenset(partitions), {row[0]: row[1] for row in rest})

    @property
    def is_of_files(self) -> bool:
        """Whether Hive's columns hold the comments, which are short there."""
        return self.described.get("Provider", "").lower() not in OWN_FORMATS


def alterations(
    table: str,
    found: Described,
    description: str | None,
    columns: Mapping[str, Mapping[str, Any]] | None,
) -> Iterator[str]:
    """The statements that change comments which are not what they should be.

    ``description`` and ``columns``, a model's, are None where the model does not persist them.
    """
    if description is not None and description != found.described.get("Comment", ""):
        yield f"ALTER TABLE {table} SET TBLPROPERTIES ('comment' = {quoting.string(description)})"
    texts = {name.lower(): str(one["description"]) for name, one in (columns or {}).items()}
    for name, comment in found.comments.items():
        text = texts.get(name.lower(), comment)
        if found.is_of_files:
            text = comment if name in found.partitions else text[:MOST_OF_COMMENT]
        if text not in (comment, comment[:MOST_OF_COMMENT]):
            column = quoting.identifier(name)
            yield f"ALTER TABLE {table} ALTER COLUMN {column} COMMENT {quoting.string(text)}"
