"""The profile's methods: how Spark is reached, and what follows from that."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctas_spark.archiving import making
from ctas_spark.catalogs import server
from ctas_spark.catalogs.formats import with_formats
from ctas_spark.catalogs.kinds import Catalogs
from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import SESSION_CATALOG
from ctas_spark.engines import connect, sharing
from ctas_spark.engines.borrowed import BORROWED, BORROWED_THREAD
from ctas_spark.engines.embedded import may_be_created
from ctas_spark.engines.launch import (
    REMOTE_SETTING,
    is_started,
    start_spark,
)
from ctas_spark.engines.protocol import StoppableJob
from ctas_spark.engines.session import SessionJob
from ctas_spark.engines.start import HEAD_START, START
from ctas_spark.engines.thrift import session as thrift
from ctas_spark.warm.attached import ATTACHED
from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.credentials import (
    CONNECT,
    REPEATABLE,
    SESSION,
    THRIFT,
    CtasSparkCredentials,
)
from dbt.flags import get_flags

SURE_TO_USE_SPARK = ("run", "build", "test", "seed", "snapshot", "show")
"""Commands that need it as soon as they have parsed, unless nothing is selected."""
ARCHIVE_IS_MADE = (
    "Later runs will start faster: an archive of Spark's classes, 200 to 250 MB in {}, is made in "
    "the background. To remove it for good, run dbt run-operation ctas_archive_classes --args "
    "'{{remove: true}}'"
)


@dataclass(frozen=True, slots=True)
class Method:
    """One way to reach Spark.

    ``start`` gives the process's session, and ``start_failure`` says why it can't; ``job`` is the
    class of a model's job; ``close`` ends an invocation.
    """

    start: Callable[[CtasSparkCredentials, str], Any]
    job: type[StoppableJob]
    open_catalogs: Callable[[Any, CtasSparkCredentials], Catalogs]
    close: Callable[[], None]
    start_failure: Callable[[BaseException], str] = dbt_edge.message


def log_directory() -> str:
    """Where dbt.log is."""
    return os.environ.get("DBT_LOG_PATH") or _flag("LOG_PATH", "logs")


def is_command(*names: str) -> bool:
    """True if dbt runs one of these commands."""
    return _flag("WHICH", "") in names


def _flag(name: str, default: str) -> str:
    """A path that dbt was told, or found: a RuntimeConfig has it, too, but dbt debug has none."""
    return str(getattr(get_flags(), name, None) or default)  # type: ignore[no-untyped-call]


def session_settings(profile: CtasSparkCredentials) -> dict[str, str]:
    """Spark's settings in a profile, with those that its formats need."""
    return with_formats(profile.spark_conf, profile.formats)


def project_directory() -> Path:
    """Where dbt_project.yml is; ``dbt init`` goes to its new project, and its flag stays behind."""
    named = Path(os.path.abspath(_flag("PROJECT_DIR", ".")))  # noqa: PTH100 (resolve() follows links)
    return named if (named / "dbt_project.yml").exists() else Path.cwd()


def start_ahead(profile: CtasSparkCredentials) -> None:
    """Let Spark start while dbt parses the project, for a command that is sure to use it.

    Until dbt takes a connection, signals have their default handlers: SIGTERM kills this process,
    and the JVM ends by itself then.
    """
    if not is_command(*SURE_TO_USE_SPARK) or profile.method != SESSION or is_started():
        return
    if not may_be_created(profile.spark_conf, project_directory()):
        logs = log_directory()
        HEAD_START.begin(lambda: _session(profile, logs))


def _in_session(profile: CtasSparkCredentials, logs: str) -> Any:
    HEAD_START.wait()
    return _session(profile, logs)


def _session(profile: CtasSparkCredentials, logs: str) -> Any:
    return start_spark(
        session_settings(profile),
        logs,
        dbt_edge.logger.info,
        project_directory(),
        uses_metastore=profile.database == SESSION_CATALOG,
    )


def _end_session() -> None:
    """A JVM lives as long as its process, and a warm Spark goes on.

    A program's session and thread are given back as they were. An archive is made for those
    that start later.
    Without a terminal this may be a scheduler's job, or a container that ends: none is made.
    """
    HEAD_START.end()
    START.forget()
    BORROWED.give_back()
    BORROWED_THREAD.give_back()
    ATTACHED.detach()
    lacks_archive, START.lacks_archive = START.lacks_archive, False
    is_watched = sys.stdout.isatty() and not os.environ.get("CI")
    if lacks_archive and is_watched and (archive := making.make_automatically()):
        dbt_edge.logger.info(ARCHIVE_IS_MADE.format(archive.parent))


def _over_connect(profile: CtasSparkCredentials, _: str) -> Any:
    settings = {key: one for key, one in profile.spark_conf.items() if key != REMOTE_SETTING}
    return connect.SESSIONS.get(profile.remote, settings)


METHODS: Mapping[str, Method] = {
    SESSION: Method(
        start=_in_session,
        job=SessionJob,
        open_catalogs=lambda spark, profile: CatalogsWithJvm(
            spark, profile.iceberg_catalogs, repeatable_reads=profile.metastore_reads == REPEATABLE
        ),
        start_failure=dbt_edge.start_failure,
        close=_end_session,
    ),
    CONNECT: Method(
        start=_over_connect,
        job=connect.ConnectJob,
        open_catalogs=lambda spark, profile: server.CatalogsWithoutJvm(
            spark, server.CONNECT, profile.iceberg_catalogs, profile.metastore_address
        ),
        close=connect.SESSIONS.close,
    ),
    THRIFT: Method(
        start=lambda profile, _: thrift.SESSIONS.get(profile.thrift_server, profile.spark_conf),
        job=thrift.ThriftJob,
        open_catalogs=lambda spark, profile: server.CatalogsWithoutJvm(
            spark, server.THRIFT, profile.iceberg_catalogs, profile.metastore_address
        ),
        close=thrift.SESSIONS.close,
    ),
}

sharing.register(ATTACHED)
