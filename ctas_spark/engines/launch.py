"""Start Spark in this process with a profile's settings."""

import logging
import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from ..errors import ProfileError, SparkNotStartedError
from ..redaction import is_secret
from . import given, jvm, precedence, sharing
from .borrowed import BORROWED
from .embedded import CONNECTION_URL, embedded_places
from .given import MASTER, OWN_SPARK, arguments_without
from .java_options import LOG, has_own_logging, lacks_archive
from .metastore_port import require_metastore
from .precedence import ALWAYS, complete, defaults_of_session, with_defaults
from .reachable import require_shared_warehouse
from .standalone import require_master
from .start import START, Opened

CONSOLE = "spark-console.log"
QUERY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
REMOTE_VARIABLE = "SPARK_REMOTE"
REMOTE_SETTING = "spark.remote"
JARS = "spark.jars"
HIVE = ("spark.sql.catalogImplementation", "hive")
BY_LAUNCHER = re.compile(
    r"spark[.](?:master|app[.]name|files|archives|jars(?:[.]\w+)?|submit[.]\w+"
    r"|kerberos[.](?:principal|keytab)|driver[.](?:memory|memoryOverhead|cores|host|bindAddress|port"
    r"|extraClassPath|extraLibraryPath|extraJavaOptions|defaultJavaOptions|userClassPathFirst)"
    r"|hadoop[.](?:fs[.]defaultFS|hadoop[.]security[.]auth\w+|fs[.]\w+[.](?:impl|endpoint"
    r"|endpoint[.]region|path[.]style[.]access|connection[.]ssl[.]enabled"
    r"|aws[.]credentials[.]provider)))"
)
"""What spark-submit reads itself: how the JVM starts, and how it fetches jars. None is a secret."""
PLAIN = re.compile(r"[^:*?[{]+")
"""The path of one jar on this machine."""

_starting = threading.Lock()


def start_spark(
    settings: Mapping[str, str],
    log_directory: str,
    say: Callable[[str], None] = lambda _: None,
    project: Path | None = None,
    *,
    uses_metastore: bool = True,
) -> SparkSession:
    """The session of this process; the first call starts it, or takes one that is there.

    A JVM that spark-submit has started is used, and so is a session of the process's own; else a
    shared Spark. An invocation gives it the settings once: what is set in it later stands.

    Args:
        settings: Spark's configuration in the profile; it wins over what Spark is given elsewhere,
            and that over the defaults. ``say`` is told what does not win.
        log_directory: where Spark's and Derby's own logs go instead of the console.
        say: told that Spark starts, which takes some seconds, or that a shared one is used.
        project: the directory of an embedded metastore that the settings don't place; without
            it, Spark's own default. It is that of the first call.
        uses_metastore: the start includes the session catalog's metastore. An embedded one is
            created then, which must not be broken off later.

    Raises:
        JobCanceledError: a signal ended the start.
        MetastoreNotReachedError: another program listens at its address.
        MetastoreInUseError: a shared Spark that does not fit has the embedded metastore open.
        ProfileError: a jar that it names is not there, or is not one; or a cluster's tables would
            be on this machine.
        ServerNotReachedError: its master does not answer.
        SparkNotStartedError: the JVM ended before it could be used.
    """
    with _starting:
        START.require_not_ended()
        if START.opened is not None and START.opened.serves(settings):
            return START.opened.session
        precedence.report_differences({**settings, **ALWAYS}, say)
        if OWN_SPARK.is_used and _is_running():
            precedence.report_too_late(settings, say)
            session = _later_session(with_defaults(settings, log_directory))
        elif given.has_session():
            say(f"Using {given.SESSION_THERE}, on {given.values().get(MASTER)}")
            BORROWED.take(_session({}))
            session = _session({**defaults_of_session(), **settings, **ALWAYS})
        else:
            was_given = given.settings() if given.is_there() else None
            wanted = complete(settings, log_directory, project)
            may_share = was_given is None and not is_started()
            session = (
                sharing.registered().session(wanted, settings, say) if may_share else None
            ) or launch_spark(wanted, log_directory, say, project, uses_metastore=uses_metastore)
            OWN_SPARK.note({*wanted} - {*settings}, was_given)
            OWN_SPARK.profile = dict(settings)
        silence_query_loggers()
        if uses_metastore:
            require_shared_warehouse(session, settings)
        START.opened = Opened(session, settings)
        return session


def is_started() -> bool:
    """True once this process has a JVM."""
    return SparkContext._gateway is not None  # noqa: SLF001 (it has no public name)


def launch_spark(
    wanted: Mapping[str, str],
    log_directory: str,
    say: Callable[[str], None] = lambda _: None,
    project: Path | None = None,
    *,
    uses_metastore: bool = True,
) -> SparkSession:
    """Start Spark in this process with exactly these settings; otherwise as ``start_spark``."""
    with START.under_way(project or Path.cwd()):
        if is_ours := not given.is_there():
            if OWN_SPARK.was_launched:
                say("Spark was stopped, and starts again")
            else:
                _start_jvm(wanted, Path(log_directory).absolute(), say)
            OWN_SPARK.note()
            wanted = _without_places_beside_a_site(wanted, project)
        else:
            master = given.under(wanted).get(MASTER, "local[*]")
            say(f"Using the Spark {pyspark.__version__} of {given.source()}, on {master}")
        _start_context(wanted)
        session = _session(wanted)
        if uses_metastore:
            require_metastore(session)
            jvm.shared_state(session).externalCatalog()
        START.lacks_archive = is_ours and given.is_local(wanted) and lacks_archive(wanted)
        return session


def _without_places_beside_a_site(
    wanted: Mapping[str, str], project: Path | None
) -> Mapping[str, str]:
    """Leave the places of an embedded metastore out if there is a hive-site.xml after all.

    The JVM knows its class path, to which spark-env.sh may have added the directory of one.
    """
    places = embedded_places(project) if project is not None else {}
    ours = {key for key, value in places.items() if wanted.get(key) == value}
    if CONNECTION_URL in ours and given.has_hive_site():
        return {key: value for key, value in wanted.items() if key not in ours}
    return wanted


def _start_context(settings: Mapping[str, str]) -> None:
    """As the session builder does, but in another thread: in the main one PySpark takes SIGINT."""
    configuration = SparkConf().setAll([*settings.items(), HIVE])
    with ThreadPoolExecutor(1) as thread:
        thread.submit(SparkContext.getOrCreate, configuration).result()


def _session(settings: Mapping[str, str]) -> SparkSession:
    builder = SparkSession.builder.enableHiveSupport()
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _later_session(settings: Mapping[str, str]) -> SparkSession:
    """A session for one more invocation, on the Spark that an earlier one has started.

    It has nothing that the earlier one has set or made there, nor a catalog that it has loaded. Who
    still reads by the session before it sees what is published now, too. Each session that is told
    costs every publication some calls, so that older ones are told no more.
    """
    before: Any = SparkSession._instantiatedSession  # noqa: SLF001 (as below)
    if OWN_SPARK.earlier is not None:
        jvm.forget_session(OWN_SPARK.earlier)
    OWN_SPARK.earlier, own = before, before.newSession()
    for key in {*OWN_SPARK.profile} - {*settings}:
        if not precedence.is_from_its_start(key):
            own.conf.unset(key)
    SparkSession._instantiatedSession = SparkSession._activeSession = own  # noqa: SLF001
    jvm.companion(own).setDefaultSession(jvm.session(own))
    jvm.activate(own)
    return _session(settings)


def _is_running() -> bool:
    """True if this process's Spark was not stopped since it was started."""
    context: Any = SparkContext._active_spark_context  # noqa: SLF001 (it has no public name)
    return context is not None and context._jsc is not None  # noqa: SLF001


def _start_jvm(
    settings: Mapping[str, str], log_directory: Path, say: Callable[[str], None]
) -> None:
    """Start the JVM with what its launcher has to know: others can read its command line.

    Spark's context gets every setting, by another way.

    What it says outside its log, from its banner to its last words, goes to a file.
    """
    _require_jars(settings.get(JARS, ""))
    require_master(settings)
    public = [
        one for one in settings.items() if BY_LAUNCHER.fullmatch(one[0]) and not is_secret(*one)
    ]
    configuration = SparkConf(loadDefaults=False).setAll(public)
    log_directory.mkdir(parents=True, exist_ok=True)
    console = log_directory / CONSOLE
    log = console if has_own_logging(settings) else log_directory / LOG
    say(f"Starting Spark {pyspark.__version__}; its log is {log}")
    with console.open("ab") as stream, arguments_without(settings):
        before = stream.tell()
        try:
            gateway = launch_gateway(configuration, {"stdout": stream, "stderr": stream})  # type: ignore[no-untyped-call]
        except PySparkRuntimeError as error:
            said = console.read_bytes()[before:].decode(errors="replace").strip()
            last = said.rpartition('Exception in thread "main" ')[2].split("\n\tat ")[0]
            raise SparkNotStartedError(
                f"Spark could not start: {last or error}",
                left="nothing was started",
                remedy="check Java, its options, and spark_conf of the profile; everything that it "
                f"printed is at the end of {console}",
            ) from error
    SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001 (as above)


def _require_jars(named: str) -> None:
    """Spark would start without a jar that it can't read, and miss its classes later."""
    paths = [one.strip().removeprefix("file:") for one in named.split(",")]
    problems = [
        f"{JARS}: {one} is not a jar" if Path(one).exists() else f"{JARS}: there is no file {one}"
        for one in paths
        if PLAIN.fullmatch(one) and not is_zipfile(one)
    ]
    if problems:
        raise ProfileError.of(problems)


def silence_query_loggers() -> None:
    """PySpark 4 prints each error of a query as JSON, besides raising it."""
    for name in QUERY_LOGGERS:
        logging.getLogger(name).disabled = True
