"""What a run and a warm Spark have to have in common."""

import json
import os
from pathlib import Path

import pytest

from ctas_spark.engines.embedded import CONNECTION_URL
from ctas_spark.engines.java_options import JAVA_OPTIONS
from ctas_spark.engines.precedence import complete
from ctas_spark.warm.needs import Needs, differing

EMBEDDED = {CONNECTION_URL: "jdbc:derby:;databaseName=metastore_db;create=true"}
SECRET = {"spark.hadoop.fs.s3a.secret.key": "hush"}


Digests = dict[str, dict[str, str]]


def needs(settings: dict[str, str] | None = None, logs: str = "logs") -> Needs:
    """Those of a run in the working directory."""
    return Needs.of(complete(settings or {}, logs, Path.cwd()), settings or {})


def differences(one: Digests, other: Digests) -> list[str]:
    """All of them, by name."""
    return [name for kind in one for name in differing(one[kind], other[kind])]


def test_a_setting_that_differs_is_named() -> None:
    """Whichever of the two has it."""
    with_secret, without = needs(SECRET).digests, needs().digests
    assert differences(with_secret, without) == [*SECRET]
    assert differences(without, with_secret) == [*SECRET]
    assert differences(with_secret, needs(SECRET).digests) == []


def test_no_value_leaves_the_process() -> None:
    """Values may be secret: two processes compare digests."""
    assert "hush" not in json.dumps(needs(SECRET).digests)


def test_where_the_log_goes_is_no_difference() -> None:
    """Only the user's own options of Java are compared, and not those that name our log."""
    assert differences(needs().digests, needs(logs="elsewhere").digests) == []
    assert differences(needs().digests, needs({JAVA_OPTIONS: "-Xss4m"}).digests) == [JAVA_OPTIONS]


@pytest.mark.parametrize(
    ("name", "differs"),
    [("AWS_PROFILE", True), ("SPARK_LOCAL_DIRS", True), ("PYSPARK_PYTHON", False), ("PS1", False)],
)
def test_variables_that_spark_reads_once_must_be_the_same(
    name: str,
    differs: bool,  # noqa: FBT001 (a parameter of pytest)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each run has its own interpreter for Python workers."""
    before = needs().digests
    monkeypatch.setenv(name, "another")
    assert differences(before, needs().digests) == ([f"the variable {name}"] if differs else [])


def test_a_configuration_file_that_was_edited_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warm Spark has read it once."""
    site = tmp_path / "core-site.xml"
    site.touch()
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    before = needs().digests
    os.utime(site, ns=(1, 1))
    assert differences(before, needs().digests) == [f"the file {site}"]


def test_another_directory_is_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a relative path, in SQL or in a setting, would be another one."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    monkeypatch.chdir(one)
    before = needs(EMBEDDED)
    digests, database = before.digests, before.database
    monkeypatch.chdir(other)
    after = needs(EMBEDDED)
    assert differences(digests, after.digests) == ["the working directory"]
    assert after.database == str(other / "metastore_db")
    assert not after.shares_database({"database": database})
