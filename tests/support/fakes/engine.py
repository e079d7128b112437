"""An engine that runs nothing and remembers everything."""

from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures


class FakeEngine:
    """Keeps the statements and refreshed tables; ``refuses`` makes every statement fail."""

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
    """A job that stops when it is told to, unless ``stubborn``; ``counted`` is what it wrote."""

    def __init__(self) -> None:
        self.canceled = False
        self.stopped = 0
        self.stubborn = False
        self.counted = WriteFigures()

    def stop(self) -> bool:
        self.stopped += 1
        return not self.stubborn

    def figures(self) -> WriteFigures:
        return self.counted
