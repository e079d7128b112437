"""Start Spark in this process with a profile's settings."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from ..context import SESSION_CATALOG
from ..errors import ProfileError, SparkNotStartedError
from ..redaction import is_secret

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
DEFAULTS = {
    "spark.sql.ansi.enabled": "false",  # as dbt-spark: the same SQL on Spark 3 and 4
    # where names without a catalog are looked up, whatever spark-defaults.conf says
    "spark.sql.defaultCatalog": SESSION_CATALOG,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
LOG = "spark.log"
CONSOLE = "spark-console.log"
QUERY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
REMOTE_VARIABLE = "SPARK_REMOTE"
REMOTE_SETTING = "spark.remote"
LOCAL = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}

_starting = threading.Lock()


def start_spark(
    settings: Mapping[str, str], log_directory: str, say: Callable[[str], None] = lambda _: None
) -> SparkSession:
    """The session of this process; the first call starts it.

    Args:
        settings: Spark's configuration; the user's values win over the defaults.
        log_directory: where Spark's and Derby's own logs go instead of the console.
        say: told that Spark starts, which takes some seconds.

    Raises:
        ProfileError: the profile names a server as well.
        SparkNotStartedError: the JVM ended before it could be used.
    """
    named = [REMOTE_VARIABLE] if os.environ.get(REMOTE_VARIABLE) else []
    named += [f"{REMOTE_SETTING} in spark_conf"] if REMOTE_SETTING in settings else []
    if named:
        raise ProfileError(
            f"method is session, which starts Spark in this process, and {' and '.join(named)} "
            "names a Spark Connect server",
            left="nothing was started",
            remedy=f"set method: connect in the profile, or remove {' and '.join(named)}",
        )
    wanted = with_defaults(settings, log_directory)
    with _starting, _sigint_kept():
        _start_jvm(wanted, Path(log_directory).absolute(), say)
        silence_query_loggers()
        builder = SparkSession.builder.enableHiveSupport()
        for key, value in wanted.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()


def _start_jvm(
    settings: Mapping[str, str], log_directory: Path, say: Callable[[str], None]
) -> None:
    """Start the JVM, unless it runs, without the secrets: others can read its command line.

    What it says outside its log, from its banner to its last words, goes to a file.
    """
    if SparkContext._gateway is not None:  # noqa: SLF001 (it has no public name)
        return
    public = [(key, value) for key, value in settings.items() if not is_secret(key, value)]
    configuration = SparkConf(loadDefaults=False).setAll(public)
    log_directory.mkdir(parents=True, exist_ok=True)
    console = log_directory / CONSOLE
    say(f"Starting Spark {pyspark.__version__}; its log is {log_directory / LOG}")
    with console.open("ab") as stream:
        before = stream.tell()
        try:
            gateway = launch_gateway(configuration, {"stderr": stream})  # type: ignore[no-untyped-call]
        except PySparkRuntimeError as error:
            said = console.read_bytes()[before:].decode(errors="replace").strip()
            raise SparkNotStartedError(
                f"Spark could not start: {said or error}",
                left="nothing was started",
                remedy=f"check the Java and its options; what it said is at the end of {console}",
            ) from error
    SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001 (as above)


def silence_query_loggers() -> None:
    """PySpark 4 prints each error of a query as JSON, besides raising it."""
    try:
        from pyspark.logger import PySparkLogger  # noqa: PLC0415 (PySpark 3.5 has none)
    except ImportError:
        return
    for name in QUERY_LOGGERS:
        PySparkLogger.getLogger(name).disabled = True


def with_defaults(settings: Mapping[str, str], log_directory: str) -> dict[str, str]:
    """The user's settings over ours."""
    ours = dict(DEFAULTS)
    if settings.get("spark.master", "local").startswith("local"):
        ours |= LOCAL
    here = Path.cwd()
    if here.as_uri() != f"file://{here}":  # Spark would write its default to an escaped path
        ours["spark.sql.warehouse.dir"] = str(here / "spark-warehouse")
    own = settings.get(JAVA_OPTIONS, "")
    merged = {**ours, **settings}
    if "log4j" not in own:
        merged[JAVA_OPTIONS] = f"{own} {_logging_options(log_directory)}".strip()
    return merged


def _logging_options(log_directory: str) -> str:
    directory = Path(os.path.abspath(log_directory))  # noqa: PTH100 (resolve() follows links)
    directory.mkdir(parents=True, exist_ok=True)
    configuration = files("dbt.adapters.ctas_spark").joinpath("log4j2.properties")
    options = {
        "log4j2.configurationFile": Path(str(configuration)).as_uri(),
        "ctas.spark.log": directory / LOG,
        "derby.stream.error.file": directory / "derby.log",
    }
    return " ".join(f'"-D{key}={value}"' for key, value in options.items())


@contextmanager
def _sigint_kept() -> Iterator[None]:
    """PySpark's own handler cancels every job of the context; ours cancels this run's."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
