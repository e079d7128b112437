"""What Spark is started with for the tables of a format."""

from pathlib import Path

import pyspark
import pytest

from ctas_spark.catalogs.formats import EMBEDDED, PACKAGES, with_formats
from ctas_spark.catalogs.settings import EXTENSIONS, ICEBERG_JARS
from ctas_spark.errors import ProfileError

POOL = "spark.hadoop.datanucleus.connectionPoolingType"
LOCKS = "spark.sql.catalog.spark_catalog.hadoop.iceberg.engine.hive.lock-enabled"


@pytest.fixture(autouse=True)
def on_spark_4_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a configuration of the machine's own."""
    monkeypatch.setattr(pyspark, "__version__", "4.1.9")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "conf"))
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)


def test_without_a_format_the_settings_are_the_users() -> None:
    """Nothing is added."""
    assert with_formats({"a": "b"}, []) == {"a": "b"}


def test_jars_and_extensions_are_added_and_other_values_of_the_user_win() -> None:
    """Spark takes a list of both."""
    own = {PACKAGES: "my:jar:1", EXTENSIONS: "my.Extension", POOL: "DBCP"}
    found = with_formats(own, ["iceberg"])
    assert found[PACKAGES] == f"my:jar:1,{ICEBERG_JARS['4.1']}"
    assert found[EXTENSIONS].startswith("my.Extension,org.apache.iceberg.")
    assert (found[POOL], found[LOCKS]) == ("DBCP", "false")
    assert found["spark.sql.catalog.spark_catalog.type"] == "hive"
    assert found["spark.sql.catalog.spark_catalog.cache.case-sensitive"] == "false"


def test_a_metastore_with_a_server_keeps_its_own_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Above all Iceberg's locks: named in the profile, or in a hive-site.xml that Spark reads."""
    uris = {"spark.hadoop.hive.metastore.uris": "thrift://server:9083"}
    assert not EMBEDDED.keys() & with_formats(uris, ["iceberg"]).keys()
    assert with_formats({}, ["iceberg"]).items() >= EMBEDDED.items()
    (tmp_path / "hive-site.xml").touch()
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    assert not EMBEDDED.keys() & with_formats({}, ["iceberg"]).keys()


def test_delta_needs_nothing_of_the_metastore() -> None:
    """Its catalog calls Spark's own client."""
    assert not EMBEDDED.keys() & with_formats({}, ["delta"]).keys()


@pytest.mark.parametrize("version", ["3.5.9", "4.3.0"])
def test_another_pyspark_is_refused_with_the_one_to_install(
    monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """A newer one has no jar, and an older one's metastore no compare-and-swap."""
    monkeypatch.setattr(pyspark, "__version__", version)
    with pytest.raises(ProfileError, match=r"pip install 'pyspark==4\.1\.\*'"):
        with_formats({}, ["iceberg"])
