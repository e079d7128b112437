"""What dbt debug says of a server, and what a wrong profile is told."""

from collections.abc import Mapping

from remote.place import Place


def test_debug_says_which_level_is_reached_and_why(place: Place) -> None:
    """For each format: it is the format's own replace, or a reason."""
    found = place.project.dbt("debug")
    assert found.success, found.log
    assert {"connect": "(Spark Connect)", "thrift": "(Thrift)"}[place.method] in found.log
    assert "catalog: ice, org.apache.iceberg.spark.SparkCatalog" in found.log
    assert "atomicity of iceberg: up to isolated, conflict check cas" in found.log
    assert "atomicity of parquet: not known" in found.log


NOBODY: Mapping[str, Mapping[str, object]] = {
    "connect": {"host": None, "port": None, "url": "sc://127.0.0.1:1/;token=hush-hush"},
    "thrift": {
        "port": 1,
        "auth": "LDAP",
        "user": "me",
        "password": "hush-hush",
        "connect_retries": 0,
    },
}


def test_a_server_that_does_not_answer_is_said_at_once(place: Place) -> None:
    """With what to look at, and without the token of the URL, or the password."""
    place.write_profile(**NOBODY[place.method])
    found = place.project.dbt("debug")
    assert not found.success
    assert "server of this profile does not answer" in found.log
    assert "Connection refused" in found.log
    assert "hush-hush" not in found.log
    assert "hush-hush" not in (place.project.directory / "logs" / "dbt.log").read_text()


def test_settings_that_only_the_server_can_have_are_refused(place: Place) -> None:
    """All at once; others are set for the session."""
    place.write_profile(
        server_side_parameters={
            "spark.driver.memory": "1g",
            "spark.sql.extensions": "x",
            "spark.sql.shuffle.partitions": "3",
        }
    )
    found = place.project.dbt("debug")
    assert not found.success
    assert "only the server can have: spark.driver.memory, spark.sql.extensions" in found.log
    place.write_profile(server_side_parameters={"spark.sql.shuffle.partitions": "3"})
    assert place.project.dbt("debug").success
