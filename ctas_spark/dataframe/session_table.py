"""A table of a Spark session, by its path and options: what code without a dbt project names."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from .. import quoting
from ..catalogs.kinds import Catalogs
from ..catalogs.server import CONNECT, CatalogsWithoutJvm
from ..catalogs.server_metastore import MetastoreAddress
from ..catalogs.session import CatalogsWithJvm
from ..context import TableName, table_name
from ..engines.clones import require_pinned_threads
from ..engines.connect import ConnectJob
from ..engines.protocol import StoppableJob
from ..engines.session import SessionJob
from ..errors import ConfigurationError, InvalidArgumentError, MetastoreError
from ..metastore.connections import addresses_in
from ..options import (
    CONFIGS,
    OF_THE_PROFILE,
    ModelPlan,
    Shape,
    is_text,
    misfits,
    misspelt,
    read_plan,
)


def _is_address(value: Any) -> bool:
    with suppress(MetastoreError):
        return is_text(value) and bool(addresses_in(value))
    return False


ICEBERG_CATALOGS, METASTORE_READS, METASTORE = OF_THE_PROFILE
CLEAN_UP = "clean_up"
REPEATABLE = "repeatable"
OPTIONS = (*CONFIGS, *OF_THE_PROFILE, CLEAN_UP)
"""Any other name is an option of the file format."""
SHAPES: Mapping[str, Shape] = {
    ICEBERG_CATALOGS: (
        "a list of names of catalogs",
        lambda value: isinstance(value, list) and all(map(is_text, value)),
    ),
    METASTORE_READS: (REPEATABLE, lambda value: value == REPEATABLE),
    METASTORE: ("thrift://host:port, several of them with commas between", _is_address),
    CLEAN_UP: ("true or false", lambda value: isinstance(value, bool)),
}


def has_jvm(spark: Any) -> bool:
    """False for a session of Spark Connect."""
    return isinstance(spark, SparkSession)


def active(spark: Any) -> Any:
    """The session, or this thread's, or the process's; InvalidArgumentError if there is none."""
    try:
        return spark or SparkSession.active()
    except PySparkRuntimeError as error:
        raise InvalidArgumentError(
            "there is no active Spark session",
            left="nothing was done",
            remedy="make one by SparkSession.builder.getOrCreate(), or pass it as spark=",
        ) from error


def named(spark: Any, path: str) -> TableName:
    """The table that a path of one to three parts names; the session completes it.

    Between a catalog's name and the table's, a namespace may have several levels.
    """
    found = quoting.parts(path) if is_text(path) else ()
    if not found:
        raise InvalidArgumentError(
            f"{path!r} is not the path of a table",
            left="nothing was done",
            remedy="write it as table, schema.table or catalog.schema.table, with backticks "
            "around a part that is not a plain word",
        )
    *above, table = found
    if len(above) > 1:
        return table_name(above[0], ".".join(above[1:]), table)
    schema = above[0] if above else spark.catalog.currentDatabase()
    return table_name(spark.catalog.currentCatalog(), schema, table)


def _read(
    path: str,
    config: Mapping[str, Any],
    comment: str,
    target: TableName,
    problems: Sequence[str],
) -> ModelPlan:
    """The plan of a configuration; ConfigurationError names the problems of before, too."""
    try:
        plan = read_plan(path, config, comment, target, None)
    except ConfigurationError as error:
        raise ConfigurationError(path, [*dict.fromkeys((*problems, *error.problems))]) from None
    if problems:
        raise ConfigurationError(path, problems)
    return plan


@dataclass(frozen=True, slots=True)
class SessionTable:
    """A table, what is asked of its publication, and the session that reaches it."""

    spark: Any
    plan: ModelPlan
    iceberg_catalogs: tuple[str, ...] = ()
    repeatable_reads: bool = False
    metastore: str | None = None
    cleans_up: bool = True

    @classmethod
    def of(
        cls, spark: Any, path: str, options: Mapping[str, Any], comment: str = ""
    ) -> "SessionTable":
        """Validate path and options; ConfigurationError names every problem of the options."""
        target = named(spark, path)
        others = {name: value for name, value in options.items() if name not in OPTIONS}
        problems = [*misfits(options, SHAPES).values()]
        problems += [said for name in others for said in misspelt(name, OPTIONS)]
        config = {name: options[name] for name in CONFIGS if name in options}
        if others:
            config["options"] = {**config.get("options", {}), **others}
        if comment:
            config["persist_docs"] = {"relation": True}
        plan = _read(path, config, comment, target, problems)
        return cls(
            spark,
            plan,
            tuple(options.get(ICEBERG_CATALOGS) or ()),
            options.get(METASTORE_READS) == REPEATABLE,
            options.get(METASTORE),
            bool(options.get(CLEAN_UP, True)),
        )

    @contextmanager
    def opened(self) -> Iterator[Catalogs]:
        """The session's catalogs, for one use of the table."""
        quoting.require_escapes(self.spark)
        require_pinned_threads(self.spark)
        catalogs = self._catalogs()
        try:
            yield catalogs
        finally:
            catalogs.close()

    def job(self, group: str, canceled: threading.Event) -> StoppableJob:
        """The job of one publication, which stops by itself and no other with it."""
        kind: type[StoppableJob] = SessionJob if has_jvm(self.spark) else ConnectJob
        return kind(self.spark, group, canceled, self.plan.abort_timeout_seconds)

    def _catalogs(self) -> Catalogs:
        if not has_jvm(self.spark):
            repeatable = self.repeatable_reads
            address = MetastoreAddress.of(self.metastore, repeatable_reads=repeatable)
            return CatalogsWithoutJvm(self.spark, CONNECT, self.iceberg_catalogs, address)
        return CatalogsWithJvm(
            self.spark, self.iceberg_catalogs, repeatable_reads=self.repeatable_reads
        )
