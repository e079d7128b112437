"""What leaves the core for dbt: errors with their name first, without frames and secrets."""

import logging
from pathlib import Path

import pytest
from dbt.adapters.spark.impl import SCHEMA_NOT_FOUND_MESSAGES, TABLE_OR_VIEW_NOT_FOUND_MESSAGES
from dbt_common.events import event_manager_client
from dbt_common.events.event_manager import EventManager
from dbt_common.exceptions import CompilationError, DbtDatabaseError, DbtRuntimeError
from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import AnalysisException

from ctas_spark.engines.thrift import results
from ctas_spark.engines.thrift.results import LostAnswerError
from ctas_spark.errors import ConcurrentWriteError, ConfigurationError
from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.dbt_edge import add_to, as_dbt_errors, complaint

FRAMES = """An error occurred while calling o50.sql.
: org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.sql.Foo$.bar(Foo.scala:12)
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.lang.RuntimeException: broken on purpose
\t... 12 more
"""
DERBY = (
    "ERROR XSDB6: Another instance of Derby may have already booted the database /w/metastore_db."
)
NOBODY = (
    "Caused by: MetaException(message:Could not connect to meta store using any of the URIs "
    "provided. Most recent failure: org.apache.thrift.transport.TTransportException: "
    "java.net.ConnectException: Connection refused\n\tat a.b.C.d(C.scala:1)"
)
NO_PATH = "MetaException(message:Unable to create database path file:/w/x.db, failed)"


class Adapter:
    def hide_secrets(self, text: str) -> str:
        return text.replace("hunter2", "***")

    @as_dbt_errors
    def fails(self) -> None:
        raise ConcurrentWriteError("another wrote hunter2", table="s.t")


def failed() -> DbtRuntimeError:
    """What dbt gets."""
    with pytest.raises(DbtRuntimeError) as caught:
        Adapter().fails()
    return caught.value


def test_dbt_shows_the_name_first() -> None:
    """The text that dbt prints and writes into run_results.json begins with the error's name."""
    assert failed().msg == "[CONCURRENT_WRITE] another wrote ***\n  table: s.t"


def test_a_wrong_configuration_is_a_compilation_error() -> None:
    """As dbt calls it; nothing ran."""

    class Model(Adapter):
        @as_dbt_errors
        def fails(self) -> None:
            raise ConfigurationError("model.shop.orders", ["file_format is odd"])

    with pytest.raises(CompilationError, match="INVALID_CONFIGURATION") as caught:
        Model().fails()
    caught.value.stack += ["a macro", "and its caller"]  # dbt does so
    assert "macro" not in str(caught.value)


@pytest.mark.parametrize(
    ("thrift", "said"),
    [
        (": java.net.SocketException: Broken pipe (Write failed)", "Broken pipe (Write failed)"),
        ("", "it closed the connection"),
    ],
)
def test_a_metastore_that_breaks_the_start_off_is_named(
    thrift: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java's name for it tells nobody that it was the metastore."""
    monkeypatch.setattr(dbt_edge, "complaint", lambda _: None)
    java = f"HiveException: org.apache.thrift.transport.TTransportException{thrift}\n\tat a.B.c()"
    told = dbt_edge.start_failure(RuntimeError(java))
    assert told.startswith(
        f"[METASTORE_NOT_REACHED] no Hive metastore answers at hive.metastore.uris: {said}\n"
    )


def test_a_start_that_fails_for_another_reason_says_where_to_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And that nothing was started."""
    monkeypatch.setattr(dbt_edge, "complaint", lambda _: None)
    assert dbt_edge.start_failure(RuntimeError("no such host")) == (
        "[SPARK_NOT_STARTED] Spark could not start: no such host\n"
        "  left: nothing was started\n"
        "  to do: check spark_conf of the profile; spark.log, next to dbt.log, says more"
    )


def test_what_is_added_follows_the_name() -> None:
    """The outcome of the model comes after the error's own words."""
    error = failed()
    add_to(error, "outcome: nothing")
    assert error.msg == "[CONCURRENT_WRITE] another wrote ***\n  table: s.t\n  outcome: nothing"


def test_frames_are_left_out() -> None:
    """A message has Spark's words and no JVM frame."""
    said = dbt_edge.message(RuntimeError(FRAMES))
    assert "broken on purpose" in said
    assert "\tat " not in said
    assert "more" not in said


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("org.apache.spark.SparkException: [X] no", "[X] no"),
        ("(org.x.Y$CommitFailedException) it moved", "commit failed: it moved"),
        ("Caused by: java.io.IOException: No space left", "Caused by: No space left"),
        ("could not (java.lang.Exception: no)", "could not (no)"),
        ("java.io.IOException: java.net.UnknownHostException: hive", "unknown host: hive"),
        (
            "Cannot write to `spark_catalog`.`shop__ctas_spark`.`orders__20260101t120000x0a1b2c3d`",
            "Cannot write to `orders`",
        ),
        ("no ice.stg.orders__stage__20260101t120000x0a1b2c3d", "no orders"),
        ("java.nio.file.AccessDeniedException: /w", "access denied: /w"),
        ("java.lang.NoSuchMethodError: 'void a.b()'", "no such method: 'void a.b()'"),
        ("java.lang.NullPointerException", "java.lang.NullPointerException"),
    ],
)
def test_classes_of_java_are_words(said: str, shown: str) -> None:
    """A class that says what happened does so in words; one without words stays."""
    assert dbt_edge.message(RuntimeError(said)) == shown


@pytest.mark.parametrize("known", SCHEMA_NOT_FOUND_MESSAGES + TABLE_OR_VIEW_NOT_FOUND_MESSAGES)
def test_what_dbt_spark_looks_for_stays(known: str) -> None:
    """By these words it knows that there is no such schema or table."""
    assert known in dbt_edge.message(RuntimeError(f"org.apache.{known}: s.t"))


def test_a_plan_is_left_out() -> None:
    """What the analysis of a query says ends before the plan that Spark prints after it."""
    words = "[UNRESOLVED_COLUMN] `idd` cannot be resolved. SQLSTATE: 42703; line 8 pos 7"
    plan = "'CreateTable `s`.`t`, ErrorIfExists\n+- 'Project ['idd]\n   +- Relation t[id#8L]"
    assert dbt_edge.message(AnalysisException(f"{words};\n{plan}\n")) == words
    assert dbt_edge.message(AnalysisException(f"{words}; \nProject [1]\n")) == words


def test_an_open_derby_is_explained() -> None:
    """The metastore's path and the way out are named."""
    said = dbt_edge.message(RuntimeError(DERBY))
    assert said.startswith("[METASTORE_IN_USE] ")
    assert "/w/metastore_db is open in another process" in said
    assert "hive.metastore.uris" in said


@pytest.mark.parametrize(
    "text",
    [
        "ERROR XBM0A: The database directory '/w/metastore_db' exists. However, it does not",
        "Caused by: ERROR XBM0J: Directory /w/metastore_db already exists.\n\tat a.b.C.d(C.java:1)",
    ],
)
def test_a_metastore_that_was_never_finished_is_explained(text: str) -> None:
    """Its directory, that no table is lost, and what to do."""
    assert dbt_edge.message(RuntimeError(text)) == (
        "[METASTORE_UNFINISHED] the embedded metastore /w/metastore_db was never completed: the "
        "run that began to create it was stopped\n"
        "  left: nothing was changed, and no table is lost: it has never held one\n"
        "  to do: check that no other run is creating it now, delete /w/metastore_db, and run dbt "
        "again"
    )


def test_a_view_that_derby_can_not_hold_is_explained() -> None:
    """Derby's own words have the whole query in them."""
    query = "select 1\n" * 9
    told = "Add request failed: a truncation error was encountered trying to shrink LONG VARCHAR"
    said = dbt_edge.message(RuntimeError(f"{told} '{query}&' to length 32700."))
    assert "Derby, holds at most 32700 characters" in said
    assert "materialized to table" in said
    assert "select 1" not in said


def test_a_property_that_derby_can_not_hold_is_explained() -> None:
    """Such as the names of the columns of an Iceberg view."""
    told = "ERROR 22001: A truncation error was encountered trying to shrink VARCHAR"
    said = dbt_edge.message(RuntimeError(f"commit state unknown: {told} 'a,b,&' to length 32672."))
    assert "Derby, holds at most 32672 characters" in said
    assert "left: it was not written" in said


def test_a_metastore_that_does_not_answer_is_explained() -> None:
    """The reason, and where the address is configured, instead of a class of Hive's."""
    said = dbt_edge.message(RuntimeError(f"HiveException: Unable to instantiate X\n{NOBODY}"))
    assert said.startswith("[METASTORE_NOT_REACHED] no Hive metastore answers at ")
    assert said.splitlines()[0].endswith(": Connection refused")
    assert "spark.hadoop.hive.metastore.uris" in said
    unknown = NOBODY.replace("ConnectException: Connection refused", "UnknownHostException: hive")
    said = dbt_edge.message(RuntimeError(unknown))
    assert said.splitlines()[0].endswith(": unknown host: hive")


def test_an_unwritable_warehouse_is_explained() -> None:
    """The path and the setting are named."""
    said = dbt_edge.message(RuntimeError(NO_PATH))
    assert said.startswith("[STORAGE_FAILED] ")
    assert "file:/w/x.db" in said
    assert "spark.sql.warehouse.dir" in said


def test_an_error_without_words_has_a_name() -> None:
    """A message is never empty."""
    assert dbt_edge.message(KeyError()) == "KeyError"


class OfAnEndedJvmError(Py4JJavaError):  # type: ignore[misc]  # py4j has no types
    """Its words can't be fetched any more."""

    def __init__(self) -> None:
        Exception.__init__(self)

    def __str__(self) -> str:
        raise ConnectionRefusedError


def met_while_translating() -> Py4JError:
    """What PySpark raises when the JVM ends before it has told which error it had."""
    try:
        try:
            raise OfAnEndedJvmError
        except Py4JJavaError:
            raise Py4JError("py4j.reflection does not exist in the JVM")  # noqa: B904 (as PySpark)
    except Py4JError as error:
        return error


@pytest.mark.parametrize(
    "error",
    [OfAnEndedJvmError(), ConnectionRefusedError(), Py4JNetworkError(""), met_while_translating()],
)
def test_an_ended_jvm_is_explained(error: BaseException) -> None:
    """A socket's error, which Py4J lets through, says nothing to a user of dbt."""

    @as_dbt_errors
    def fails(_adapter: Adapter) -> None:
        raise error

    with pytest.raises(DbtDatabaseError) as caught:
        fails(Adapter())
    assert caught.value.msg.startswith("[SPARK_ENDED] Spark's JVM has ended")
    assert "spark.driver.memory" in caught.value.msg


def test_an_unknown_class_is_no_end_of_a_jvm() -> None:
    """Py4J's own words stay, if nothing shows that the JVM has ended."""
    assert dbt_edge.message(Py4JError("x.Y does not exist")) == "x.Y does not exist"


@pytest.fixture
def logging_to_dbt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log goes to dbt for one test, and as before after it."""
    own = logging.getLogger(dbt_edge.__package__)
    monkeypatch.setattr(own, "handlers", [])
    monkeypatch.setattr(own, "level", own.level)
    monkeypatch.setattr(own, "propagate", own.propagate)
    monkeypatch.setattr(logging.getLogger(), "filters", [])
    dbt_edge.log_to_dbt()


@pytest.mark.usefixtures("logging_to_dbt")
def test_py4js_own_log_stays_off_the_terminal(caplog: pytest.LogCaptureFixture) -> None:
    """It logs to the root logger, where others' records still pass."""
    caplog.set_level(logging.INFO)
    where = Path("site-packages")
    for package in ("py4j", "another"):
        path = str(where / package / "java_gateway.py")
        record = logging.LogRecord("root", logging.ERROR, path, 1, package, None, None)
        logging.getLogger().handle(record)
    assert [record.message for record in caplog.records] == ["another"]


@pytest.mark.usefixtures("logging_to_dbt")
def test_a_stack_is_in_the_log_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever logs it, and with it Python's own traceback: warnings have the words before it."""
    manager, logged = EventManager(), list[tuple[str, str]]()
    manager.add_callback(lambda event: logged.append((event.info.level, event.info.msg)))  # type: ignore[attr-defined]  # protobuf
    monkeypatch.setattr(event_manager_client, "_EVENT_MANAGER", manager)
    own = logging.getLogger(f"{dbt_edge.__package__}.staging")
    own.error("it was left: %s", FRAMES, exc_info=ValueError(FRAMES))
    dbt_edge.logger.warning(FRAMES)
    shown = [text for level, text in logged if level != "debug"]
    assert len(shown) == 2
    assert all("broken on purpose" in text for text in shown)
    assert not any("\tat " in text or "Traceback" in text for text in shown)
    assert any("Foo.scala:12" in text for level, text in logged if level == "debug")


@pytest.mark.parametrize(
    ("cause", "said"),
    [("no 0", "[WRITING] aborted\nCaused by: x.Y: no 0"), ("aborted", "[WRITING] aborted")],
)
def test_a_thrift_servers_words_come_with_their_cause(cause: str, said: str) -> None:
    """A cause that only repeats the error is left out."""
    error = results.failed(
        "org.apache.hive.service.cli.HiveSQLException: Error running query: [WRITING] "
        "org.apache.spark.SparkException: [WRITING] aborted\n\tat a.b.C.d(C.scala:1)\n"
        f"Caused by: org.x.Z: [WRITING] aborted\n\t... 3 more\nCaused by: x.Y: {cause}\n\tat e.F"
    )
    assert dbt_edge.message(error) == said


def test_a_lost_answer_is_not_taken_for_the_end_of_a_jvm() -> None:
    """Over Thrift this process has no JVM, and the message says that the statement may have run."""
    said = dbt_edge.message(LostAnswerError("no answer"))
    assert said.startswith("[ANSWER_LOST] no answer")
    assert "JVM" not in said


@pytest.mark.parametrize(
    ("major", "spark", "fits"),
    [
        ("17", "4.1.4", True),
        ("21", "4.1.4", True),
        ("11", "4.1.4", False),
        ("25", "4.1.4", False),
        ("25", "4.3.0", True),
        ("11", "4.3.0", False),
        ("1.8", "3.5.9", True),
        ("21", "3.5.9", False),
    ],
)
def test_each_spark_names_the_javas_it_runs_on(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    major: str,
    spark: str,
    fits: bool,  # noqa: FBT001
) -> None:
    """A wrong Java is named with its version and with the right ones."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{major}.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    said = complaint(spark)
    assert (said is None) == fits
    assert fits or f"{java} is Java {major}" in str(said)


def test_no_java_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Java the message says where it was looked for and which would do."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    said = complaint("4.1.4")
    assert "there is none on PATH); PySpark 4.1.4 needs 17 or 21" in str(said)
    assert "PySpark 4.3.0 needs 17, 21 or 25" in str(complaint("4.3.0"))


def test_hints_of_dbt_spark_do_not_name_hudi() -> None:
    """Nothing here was tried with it; a user's own words stay."""
    error = CompilationError("set to 'delta' or 'iceberg' or 'hudi'; we once had 'hudi'")
    dbt_edge.forget_hudi(error)
    assert error.msg == "set to 'delta' or 'iceberg'; we once had 'hudi'"
    dbt_edge.forget_hudi(None)
