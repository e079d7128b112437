"""The options of Spark's JVM: the user's own, and ours where they fit."""

from pathlib import Path

import pytest

from ctas_spark.engines import class_archive
from ctas_spark.engines.java_options import JAVA_OPTIONS, lacks_archive
from ctas_spark.engines.precedence import with_defaults

PARALLEL = "-XX:+UseParallelGC"
LATER = "-XX:Tier4InvocationThreshold=30000"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, and no options in Java's own variables."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for variable in ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "SPARK_CONF_DIR"):
        monkeypatch.delenv(variable, raising=False)


def options(settings: dict[str, str] | None = None) -> str:
    """What the JVM of these settings gets."""
    return with_defaults(settings or {}, "logs")[JAVA_OPTIONS]


def test_sparks_log_goes_to_a_file(tmp_path: Path) -> None:
    """The JVM's own log does not flood dbt's console, whatever JVM options the user gives."""
    given = with_defaults({JAVA_OPTIONS: "-Xss4m"}, str(tmp_path))[JAVA_OPTIONS]
    assert given.startswith("-Xss4m ")
    assert f'"-Dctas.spark.log={tmp_path}/spark.log"' in given


def test_a_users_own_log4j_is_left_alone() -> None:
    """A user's own log4j configuration is kept."""
    given = options({JAVA_OPTIONS: "-Dlog4j2.configurationFile=mine.xml"})
    assert "-Dlog4j2.configurationFile=mine.xml" in given
    assert "ctas.spark.log" not in given


def test_a_local_spark_gets_options_for_short_runs() -> None:
    """On a cluster's driver they would change a JVM that others have sized."""
    assert PARALLEL in options()
    assert LATER in options()
    on_cluster = options({"spark.master": "yarn"})
    assert PARALLEL not in on_cluster
    assert LATER not in on_cluster


@pytest.mark.parametrize("own", ["-XX:+UseG1GC", "-XX:-UseParallelGC", "-XX:+UseZGC"])
def test_a_users_collector_is_the_only_one(own: str) -> None:
    """A JVM refuses to start with two of them."""
    assert PARALLEL not in options({JAVA_OPTIONS: own})
    assert PARALLEL not in options({"spark.driver.defaultJavaOptions": own})


@pytest.mark.parametrize("own", ["-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation", "-Xint"])
def test_a_users_compiler_is_left_alone(own: str) -> None:
    """The thresholds belong to what the user chose."""
    assert LATER not in options({JAVA_OPTIONS: own})


def test_options_in_a_variable_of_java_are_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Java reads them besides the command line."""
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC")
    assert PARALLEL not in options()
    assert LATER in options()


def test_an_administrators_options_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours in the session's settings would replace those in spark-defaults.conf."""
    line = f"{JAVA_OPTIONS} -Xss4m -XX:+UseZGC\n"
    (tmp_path / "spark-defaults.conf").write_text(line)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert options().startswith("-Xss4m -XX:+UseZGC ")
    assert PARALLEL not in options()
    assert options({JAVA_OPTIONS: "-Xss8m"}).startswith("-Xss8m ")


def test_a_jvm_maps_the_archive_that_there_is() -> None:
    """Unless the user has one."""
    archive = class_archive.path()
    assert str(archive) not in options()
    archive.parent.mkdir(parents=True)
    archive.touch()
    assert f'={archive}"' in options()
    own = "-XX:SharedArchiveFile=mine.jsa"
    assert str(archive) not in options({JAVA_OPTIONS: own})


def test_whoever_chose_how_classes_are_shared_gets_no_archive() -> None:
    """Not even one that is made automatically."""
    assert lacks_archive(with_defaults({}, "logs"))
    assert not lacks_archive(with_defaults({JAVA_OPTIONS: "-Xshare:off"}, "logs"))
    assert not lacks_archive(with_defaults({JAVA_OPTIONS: "-XX:AOTMode=off"}, "logs"))
    archive = class_archive.path()
    archive.parent.mkdir(parents=True)
    archive.touch()
    assert not lacks_archive(with_defaults({}, "logs"))
