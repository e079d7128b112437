"""Users of one group publish each other's tables, at the umask that HDFS has by default."""

import pytest

from real_places.hdfs import ALICE, BOB, CAROL, GROUP, Hdfs

TABLE = "{{{{ config(materialized='table', versions_to_keep=0, grace_period=0{}) }}}}"
QUERY = "select {{ var('n', 1) }} as id, 'x' as day"
PLAIN = TABLE.format("") + QUERY
PARTITIONED = TABLE.format(", partition_by='day'") + QUERY
MODELS = {"models/plain.sql": PLAIN, "models/parted.sql": PARTITIONED}


def test_users_of_a_group_publish_each_others_tables(place: Hdfs) -> None:
    """What one builds, the other rebuilds, and each deletes what the other has left."""
    place.project.write(MODELS)
    for number, user in enumerate((ALICE, BOB, ALICE), 1):
        run = place.dbt(user, n=number)
        assert run.success, run.log
        assert place.rows("plain") == place.rows("parted") == [(number, "x")]
    assert {mode.partition(":")[2] for mode in place.modes().values()} == {f"{GROUP} rwxrwxr-x"}
    assert len([one for one in place.files() if one.endswith(".parquet")]) == 2


def test_a_directory_that_only_its_owner_may_write_in_is_named(
    place: Hdfs, capfd: pytest.CaptureFixture[str]
) -> None:
    """The error has the command that opens it; no job has run, and nothing is said to be left."""
    place.project.write(MODELS)
    assert place.dbt(ALICE).success
    place.close_to_the_group()
    before = sorted(place.files())
    capfd.readouterr()
    refused = place.dbt(BOB, n=2)
    assert not refused.success
    said = refused.message("plain")
    assert "this user may not write in hdfs://" in said
    command = f"hdfs dfs -chmod -R g+w {place.address}{place.directory}/ctas-spark"
    assert command in said
    assert "what is left of version" not in said
    assert "\tat org.apache" not in refused.log + "".join(capfd.readouterr())
    assert sorted(place.files()) == before
    place.shell(ALICE, command)
    assert place.dbt(BOB, n=2).success
    assert place.rows("plain") == [(2, "x")]


def test_a_user_of_another_group_is_refused_before_any_job(place: Hdfs) -> None:
    """Carol may read the schema's directory, and not write in it."""
    place.project.write({"models/plain.sql": PLAIN})
    refused = place.dbt(CAROL)
    assert not refused.success
    said = refused.message("plain")
    assert "permission denied" in said.lower() or "may not write" in said
    assert "what is left of version" not in said
    assert list(place.files()) == []
