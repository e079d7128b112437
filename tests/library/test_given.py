"""What Spark is given by others than the profile, and what wins."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from ctas_spark.engines import given, precedence
from ctas_spark.engines.embedded import CONNECTION_URL, WAREHOUSE, beside, is_embedded
from ctas_spark.engines.given import (
    DEFAULTS_FILE,
    GATEWAY,
    SUBMIT_ARGUMENTS,
    Given,
    arguments_without,
)
from ctas_spark.engines.java_options import JAVA_OPTIONS
from ctas_spark.engines.precedence import complete, with_defaults

CLUSTER = "spark://127.0.0.1:7077"


@pytest.fixture(autouse=True)
def conf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory of Spark's configuration, and nothing of the machine's own."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    for name in (SUBMIT_ARGUMENTS, GATEWAY, "MASTER", "HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


class Java:
    """A JVM that others have started, with what it was given."""

    def __init__(self, settings: dict[str, str], sites: tuple[str, ...] = ()) -> None:
        loader = SimpleNamespace(getResource=lambda name: name if name in sites else None)
        thread = SimpleNamespace(getContextClassLoader=lambda: loader)
        threads = SimpleNamespace(currentThread=lambda: thread)
        self.settings = settings
        self.java = SimpleNamespace(lang=SimpleNamespace(Thread=threads))

    def getAll(self) -> list[tuple[str, str]]:  # noqa: N802 (SparkConf's name)
        return [*self.settings.items()]


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make this process a Python file that spark-submit runs."""

    def submit(settings: dict[str, str], *sites: str) -> None:
        java = Java(settings, sites)
        monkeypatch.setenv(GATEWAY, "1")
        monkeypatch.setattr(SparkContext, "_ensure_initialized", lambda: None)
        monkeypatch.setattr(SparkContext, "_jvm", java)
        monkeypatch.setattr(given, "SparkConf", lambda: java)

    return submit


def told(profile: dict[str, str]) -> list[str]:
    """What is said of a profile's settings."""
    lines: list[str] = []
    precedence.report_differences(profile, lines.append)
    return lines


def test_options_of_spark_submit_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each form in which spark-submit takes them; what follows its program is not read."""
    monkeypatch.setenv(
        SUBMIT_ARGUMENTS,
        f"--master {CLUSTER} --verbose --conf 'spark.a=1 = 2' -c spark.b=3 --conf=spark.c=4 "
        "--deploy-mode=client --class x.Y --driver-java-options '-Xss4m -Da=b' pyspark-shell "
        "--conf spark.d=5",
    )
    assert given.values() == {
        "spark.master": CLUSTER,
        "spark.a": "1 = 2",
        "spark.b": "3",
        "spark.c": "4",
        "spark.submit.deployMode": "client",
        JAVA_OPTIONS: "-Xss4m -Da=b",
    }


def test_the_last_of_several_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """And an option wins over --conf, wherever it stands."""
    monkeypatch.setenv(
        SUBMIT_ARGUMENTS, "--master yarn --conf spark.master=x --conf spark.a=1 -c spark.a=2 p"
    )
    assert given.values() == {"spark.master": "yarn", "spark.a": "2"}


def test_a_properties_file_replaces_the_defaults(
    conf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As spark-submit does, unless it is told to load both; options win over either."""
    (conf / DEFAULTS_FILE).write_text("spark.a default\nspark.b default\n")
    (conf / "mine.conf").write_text("spark.a = mine\nspark.c mine\n")
    assert given.settings()["spark.a"] == Given("default", DEFAULTS_FILE)
    named = f"--properties-file {conf / 'mine.conf'} --conf spark.c=option"
    monkeypatch.setenv(SUBMIT_ARGUMENTS, f"{named} pyspark-shell")
    assert given.values() == {"spark.a": "mine", "spark.c": "option"}
    monkeypatch.setenv(SUBMIT_ARGUMENTS, f"{named} --load-spark-defaults pyspark-shell")
    assert given.values() == {"spark.a": "mine", "spark.b": "default", "spark.c": "option"}


def test_a_file_is_read_once_as_long_as_it_stays_as_it_is(
    conf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run asks for its settings dozens of times; what is changed between two runs counts."""
    read, text = list[Path](), Path.read_text

    def counted(path: Path, **named: str) -> str:
        read.append(path)
        return text(path, **named)

    monkeypatch.setattr(Path, "read_text", counted)
    defaults = conf / DEFAULTS_FILE
    defaults.write_text("spark.a 1\n")
    with_defaults({}, "logs")
    assert (given.values()["spark.a"], read.count(defaults)) == ("1", 1)
    defaults.write_text("spark.a other\n")
    assert (given.values()["spark.a"], read.count(defaults)) == ("other", 2)


def test_the_variable_master_is_the_last_resort(
    conf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """spark-submit reads it where nothing else names a master."""
    monkeypatch.setenv("MASTER", "yarn")
    assert given.settings()["spark.master"] == Given("yarn", "the variable MASTER")
    assert not given.is_local({})
    assert given.is_local({"spark.master": "local"})
    (conf / DEFAULTS_FILE).write_text("spark.master local[3]\n")
    assert given.values()["spark.master"] == "local[3]"


def test_a_cluster_gets_nothing_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever names it: no loopback address, no scheduler, no metastore and no warehouse."""
    (tmp_path / "a dir").mkdir()
    monkeypatch.chdir(tmp_path / "a dir")  # its name would be escaped
    by_profile = complete({"spark.master": CLUSTER}, "logs", tmp_path)
    monkeypatch.setenv(SUBMIT_ARGUMENTS, f"--master {CLUSTER} pyspark-shell")
    by_arguments = complete({}, "logs", tmp_path)
    assert by_profile == {**by_arguments, "spark.master": CLUSTER}
    assert {*by_arguments} == {*precedence.DEFAULTS, JAVA_OPTIONS}


def test_what_spark_is_given_wins_over_our_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the profile wins over both."""
    monkeypatch.setenv(
        SUBMIT_ARGUMENTS, "--conf spark.sql.ansi.enabled=true --conf spark.ui.enabled=true p"
    )
    found = with_defaults({"spark.ui.enabled": "false"}, "logs")
    assert found["spark.sql.ansi.enabled"] == "true"
    assert found["spark.ui.enabled"] == "false"


def test_names_without_a_catalog_are_always_looked_up_in_the_session_catalog(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A schema of the profile would be another one in another catalog."""
    monkeypatch.setenv(SUBMIT_ARGUMENTS, "--conf spark.sql.defaultCatalog=ice pyspark-shell")
    assert with_defaults({}, "logs")["spark.sql.defaultCatalog"] == "spark_catalog"


@pytest.mark.parametrize("variable", ["SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR"])
def test_a_hive_site_in_any_of_sparks_directories_counts(
    variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The JVM has all three on its class path."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "hive-site.xml").touch()
    assert is_embedded({})
    monkeypatch.setenv(variable, str(tmp_path / "there"))
    assert not is_embedded({})


def test_arguments_that_the_profile_overrides_are_left_out_of_the_launch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Spark's launcher would let them win; the variable itself stays as it is."""
    given_ = "--driver-memory 1g --conf spark.a=1 --master yarn --verbose pyspark-shell x"
    monkeypatch.setenv(SUBMIT_ARGUMENTS, given_)
    with arguments_without({"spark.driver.memory", "spark.a"}):
        assert os.environ[SUBMIT_ARGUMENTS] == "--master yarn --verbose pyspark-shell x"
    assert os.environ[SUBMIT_ARGUMENTS] == given_


def test_the_jvm_of_spark_submit_is_asked(submitted: Any, conf: Path) -> None:
    """It knows its options, its files, and what is on its class path."""
    (conf / DEFAULTS_FILE).write_text("spark.a of-file\nspark.b of-file\n")
    submitted({"spark.master": CLUSTER, "spark.a": "of-file", "spark.b": "1"}, "hive-site.xml")
    assert given.settings() == {
        "spark.master": Given(CLUSTER, "spark-submit"),
        "spark.a": Given("of-file", DEFAULTS_FILE),
        "spark.b": Given("1", "spark-submit"),
    }
    assert not given.is_local({})
    assert given.has_hive_site()


def test_the_jvm_of_spark_submit_gets_no_options(submitted: Any, tmp_path: Path) -> None:
    """It runs already. On a local master it gets the rest, with an embedded metastore."""
    submitted({"spark.master": "local[2]", "spark.scheduler.mode": "FIFO"})
    found = complete({}, "logs", tmp_path)
    assert JAVA_OPTIONS not in found
    assert found["spark.scheduler.mode"] == "FIFO"
    assert found["spark.driver.host"] == "127.0.0.1"
    assert {*beside({}, tmp_path)} == {CONNECTION_URL, WAREHOUSE}


def test_a_session_that_is_there_keeps_what_was_set_in_it(
    submitted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its program, or when it was started; the rest gets what dbt-spark sets, too."""
    submitted({"spark.a": "1"})
    conf = SimpleNamespace(contains="spark.b".__eq__)
    state = SimpleNamespace(sessionState=lambda: SimpleNamespace(conf=lambda: conf))
    session = SimpleNamespace(_jsparkSession=state)
    monkeypatch.setattr(SparkSession, "_instantiatedSession", session)
    assert [given.is_set(key) for key in ("spark.a", "spark.b", "spark.c")] == [True, True, False]


def test_a_contradiction_is_told_with_the_value_that_is_used(
    monkeypatch: pytest.MonkeyPatch, conf: Path
) -> None:
    """But not what a profile changes of the machine's defaults, and never a secret."""
    (conf / DEFAULTS_FILE).write_text("spark.executor.memory 8g\n")
    arguments = "--master yarn --conf spark.a=1 --conf spark.my.password=theirs pyspark-shell"
    monkeypatch.setenv(SUBMIT_ARGUMENTS, arguments)
    hidden = "*********(redacted)"
    profile = {"spark.master": "local", "spark.a": "1", "spark.executor.memory": "2g"}
    assert told({**profile, "spark.my.password": "ours"}) == [
        "spark.master: local (profile) is used, and not yarn (PYSPARK_SUBMIT_ARGS)",
        f"spark.my.password: {hidden} (profile) is used, and not {hidden} (PYSPARK_SUBMIT_ARGS)",
    ]


def test_what_comes_too_late_for_a_jvm_is_told(submitted: Any) -> None:
    """Its memory and its jars are spark-submit's to give."""
    submitted({"spark.driver.memory": "1g", "spark.master": "yarn"})
    profile = {"spark.driver.memory": "2g", "spark.jars.packages": "a:b:1", "spark.master": "local"}
    assert told(profile) == [
        (
            "spark.driver.memory: 1g (spark-submit) is used, and not 2g (profile): "
            "Spark is already running"
        ),
        (
            "spark.jars.packages: Spark's default (spark-submit) is used, and not a:b:1 (profile): "
            "Spark is already running"
        ),
        "spark.master: local (profile) is used, and not yarn (spark-submit)",
    ]


def test_what_a_second_invocation_asks_for_too_late_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its process has the Spark of the first one, and so that one's metastore."""
    uris = "spark.hadoop.hive.metastore.uris"
    first = {uris: "thrift://dev:9083", "spark.jars": "a.jar"}
    monkeypatch.setattr(given.OWN_SPARK, "profile", first)
    lines: list[str] = []
    second = {uris: "thrift://prod:9083", "spark.jars": "a.jar"}
    precedence.report_too_late(second, lines.append)
    (said,) = lines
    assert said.startswith(f"{uris}: thrift://dev:9083 (profile of an earlier invocation) is used")
    assert "not thrift://prod:9083 (profile)" in said
    lines.clear()
    precedence.report_too_late(first, lines.append)
    assert lines == []
