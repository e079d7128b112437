"""``save_as``: the atomic commit for PySpark code, with nothing of dbt (docs/pyspark.md)."""

from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from .. import quoting
from ..context import Atomicity, OnConflict, StagingPurpose, TableName
from ..errors import InvalidArgumentError, NotSupportedError
from ..publish.outcome import Publication
from .saving import Saving, in_a_thread
from .session_table import SessionTable, active

R = TypeVar("R")
COLUMN = "Column<'"
"""How PySpark writes a column; its name, or its transform, follows."""


class TableWriter:
    """What is to be published where, in the words of PySpark's ``DataFrame.writeTo``.

    Each method but the last five notes something and returns the writer. Those five validate it and
    raise a ConfigurationError that names every problem.
    """

    def __init__(self, spark: Any, path: str, source: Any) -> None:
        self._spark = spark
        self._path = path
        self._source = source
        self._options: dict[str, Any] = {}
        self._comment = ""

    def option(self, name: str, value: Any) -> "TableWriter":
        """A setting of docs/pyspark.md, or else an option of the file format."""
        self._options[name] = value
        return self

    def using(self, provider: str) -> "TableWriter":
        """The format, such as ``orc``, ``delta`` or ``iceberg``; by default ``parquet``."""
        return self.option("file_format", provider)

    def partitionedBy(self, col: Any, *cols: Any) -> "TableWriter":  # noqa: N802 (PySpark's word)
        """Partition by columns, or with Iceberg by transforms of columns."""
        return self.option("partition_by", [_text(one) for one in (col, *cols)])

    def clusterBy(self, col: Any, *cols: Any) -> "TableWriter":  # noqa: N802 (PySpark's word)
        """Delta's clustering; of files, the columns of ``buckets``."""
        return self.option("clustered_by", [_text(one) for one in (col, *cols)])

    def tableProperty(self, property: str, value: Any) -> "TableWriter":  # noqa: A002, N802 (as above)
        """A property of the table."""
        known = self._options.get("tblproperties", {})
        return self.option("tblproperties", {**known, property: value})

    def comment(self, text: str) -> "TableWriter":
        """The table's comment."""
        self._comment = text
        return self

    def atomicity(self, level: Atomicity | str) -> "TableWriter":
        """The level to keep or to fail: ``auto``, ``isolated``, ``atomic`` or ``none``."""
        return self.option("atomicity", level)

    def on_conflict(self, action: OnConflict | str) -> "TableWriter":
        """What to do if another wrote meanwhile: ``abort`` or ``overwrite``."""
        return self.option("on_conflict", action)

    def create(self) -> Publication:
        """Publish a table that must not exist, or raise TableAlreadyExistsError."""
        return self._publish(StagingPurpose.CREATE)

    def create_if_not_exists(self) -> Publication:
        """Publish a table, or keep the one that exists."""
        return self._publish(StagingPurpose.CREATE_IF_NOT_EXISTS)

    def replace(self) -> Publication:
        """Replace a table that must exist, or raise NoSuchTableError."""
        return self._publish(StagingPurpose.REPLACE)

    def create_or_replace(self) -> Publication:
        """Publish a table, whether it exists or not."""
        return self._publish(StagingPurpose.CREATE_OR_REPLACE)

    def staged(
        self, purpose: StagingPurpose | str = StagingPurpose.CREATE_OR_REPLACE
    ) -> "StagedDataFrame":
        """Stage, look at what is staged, and publish: for ``with``."""
        return StagedDataFrame(Saving(self._table(purpose), self._source))

    def _publish(self, purpose: StagingPurpose) -> Publication:
        saving = Saving(self._table(purpose), self._source)
        return in_a_thread(self._spark, saving.publish, saving.cancel)

    def _table(self, purpose: StagingPurpose | str) -> SessionTable:
        options = {**self._options, "staging_purpose": purpose}
        table = SessionTable.of(self._spark, self._path, options, self._comment)
        if getattr(self._source, "isStreaming", False):
            raise NotSupportedError(
                "the DataFrame is a stream, which never ends, and a publication needs all its rows",
                table=table.plan.context.target,
                left="it is unchanged; no job was started",
                remedy="call save_as for each batch, in writeStream.foreachBatch",
            )
        return table


class StagedDataFrame:
    """A table between staging and publication: write, audit, publish.

    ``with`` stages it. The end of the block publishes it; an exception in the block removes it,
    and the table stays as it was. ``publication`` is the outcome, once the block has ended.
    """

    publication: Publication

    def __init__(self, saving: Saving) -> None:
        self._saving = saving
        self._shown: TableName = saving.target
        if saving.table.plan.context.atomicity is Atomicity.NONE:
            raise NotSupportedError(
                "at atomicity none nothing is staged: rows are written into the published table",
                table=saving.target,
                left="it is unchanged; no job was started",
                remedy="call atomicity() with another level",
            )

    @property
    def dataframe(self) -> Any:
        """What is staged; if the purpose keeps a table that exists, that table."""
        return self._saving.table.spark.table(quoting.table(self._shown))

    def __enter__(self) -> "StagedDataFrame":  # noqa: PYI034 (Self came with Python 3.11)
        with self._saving.aborting():
            self._shown = self._in_a_thread(self._saving.prepare) or self._shown
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.publication = self._in_a_thread(self._saving.finish)
        else:
            self._in_a_thread(partial(self._saving.abort, error))

    def _in_a_thread(self, step: Callable[[], R]) -> R:
        return in_a_thread(self._saving.table.spark, step, self._saving.cancel)


def save_as(df: Any, path: str) -> TableWriter:
    """Publish a DataFrame as a table, by one atomic commit.

    ``df`` is Spark's, also of Spark Connect; ``path`` is ``table``, ``schema.table`` or
    ``catalog.schema.table``, with backticks around parts that are not plain words.

    Raises:
        InvalidArgumentError: ``df`` is not a DataFrame of Spark.
    """
    if not hasattr(df, "createTempView"):
        kind = f"{type(df).__module__}.{type(df).__qualname__}"
        raise InvalidArgumentError(
            f"save_as takes a Spark DataFrame, and this is {kind}",
            left="nothing was done",
            remedy="make one by spark.createDataFrame(...)",
        )
    return TableWriter(df.sparkSession, path, df)


def create_table(
    path: str, options: Mapping[str, Any], query: str, *, spark: Any = None
) -> Publication:
    """FLIP-218's ``createTable``: publish the result of a query.

    ``options`` are the names of ``TableWriter.option``, and ``staging_purpose``, which is
    ``create`` by default; ``spark`` is the active session by default.
    """
    session = active(spark)
    given = {"staging_purpose": StagingPurpose.CREATE, **options}
    saving = Saving(SessionTable.of(session, path, given), query)
    return in_a_thread(session, saving.publish, saving.cancel)


def _text(column: Any) -> str:
    """A column's name, or its transform, as a statement has it."""
    text = str(column)
    return text.removeprefix(COLUMN).removesuffix("'>") if text.startswith(COLUMN) else text
