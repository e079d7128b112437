"""An engine that runs nothing and remembers everything."""

from collections.abc import Callable

from ctas_spark import quoting
from ctas_spark.context import TableName
from ctas_spark.engines.protocol import TableRead, WriteFigures

OWN_ROWS = frozenset({TableRead("where the table lies")})


class FakeEngine:
    """Keeps the statements and refreshed tables; ``refuses`` makes every statement fail."""

    version = "4.1.4"

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.refreshed: list[TableName] = []
        self.on_sql: Callable[[str], None] = self.statements.append

    def sql(self, statement: str) -> None:
        self.on_sql(statement)

    def reads(self, file_format: str) -> bool:
        return file_format != "avro"

    def refresh(self, name: TableName) -> None:
        self.refreshed.append(name)


class FakeJob:
    """A job that stops when it is told to, unless ``stubborn``; ``counted`` is what it wrote.

    ``reading`` is how its query reads the target, and ``there`` how any other query does.
    ``remembered`` is how it does until something is read afresh, if that is otherwise.
    """

    def __init__(self) -> None:
        self.canceled = False
        self.stopped = 0
        self.stubborn = False
        self.counted = WriteFigures()
        self.reading: frozenset[TableRead] = frozenset()
        self.remembered: frozenset[TableRead] | None = None
        self.there = OWN_ROWS

    def stop(self) -> bool:
        self.stopped += 1
        return not self.stubborn

    def figures(self) -> WriteFigures:
        return self.counted

    def reads(self, query: str, table: TableName) -> frozenset[TableRead]:
        if query == f"SELECT * FROM {quoting.table(table)}":
            return self.there
        found, self.remembered = self.remembered or self.reading, None
        return found
