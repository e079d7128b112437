"""How fresh a source is that names no ``loaded_at_field``: when its table was last written."""

from datetime import datetime, timezone

from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.catalogs.kinds import ICEBERG
from ctas_spark.context import DELTA
from ctas_spark.errors import NotSupportedError
from ctas_spark.statement.tables import details
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.ctas_spark.credentials import THRIFT
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.relations import Relations

BY_SNAPSHOT = "SELECT unix_millis(max(made_current_at)) FROM {}.history"
BY_COMMIT = "DESCRIBE HISTORY {} LIMIT 1"
BY_FILES = "SELECT unix_millis(max(_metadata.file_modification_time)) FROM {}"
OF_A_FILE = "_metadata"
"""Spark's hidden column of tables that it reads from files."""


class Freshness:
    """Asks a format's log, or else the newest file."""

    def __init__(self, invocation: Invocation, dbt: Dbt, relations: Relations) -> None:
        self._invocation = invocation
        self._dbt = dbt
        self._relations = relations

    def last_written(self, source: BaseRelation) -> datetime | None:
        """None for a table to which no row was ever written."""
        provider = details(self._relations.describe(source)).get("Provider")
        # its time has no zone, which over Thrift nobody knows
        if provider == DELTA and self._invocation.credentials.method != THRIFT:
            newest = self._invocation.spark.sql(BY_COMMIT.format(source)).first()
            written: datetime = newest["timestamp"]
            return written.astimezone(timezone.utc)
        sql = (BY_SNAPSHOT if provider == ICEBERG else BY_FILES).format(source)
        try:
            millis = self._dbt.execute(sql, fetch=True)[1].rows[0][0]
        except DbtRuntimeError as error:
            if OF_A_FILE not in error.msg:
                raise
            raise NotSupportedError(
                f"only its rows tell how fresh {source} is: it is a view, or Spark does not know "
                f"the files of its format",
                left="the source was not checked",
                remedy="set loaded_at_field or loaded_at_query",
            ) from error
        return None if millis is None else datetime.fromtimestamp(int(millis) / 1000, timezone.utc)
