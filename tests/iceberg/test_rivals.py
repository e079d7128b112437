"""Others who write the table while a model builds it: theirs stays."""

from collections.abc import Callable

import pytest

from ctas_spark.context import Atomicity, StagingPurpose
from ctas_spark.engines import jvm
from ctas_spark.errors import (
    ConcurrentWriteError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from ctas_spark.iceberg.base import IcebergBase
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.publish.version import Outcome
from iceberg.place import Place
from iceberg.rivals import NEW, NEW_ROWS, OLD, WRITES, rival
from long import long


@pytest.fixture
def before_the_call(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Do something after the last look at the target, so that only compare-and-swap can see it."""
    mark = IcebergVersion.mark

    def arrange(action: Callable[[], object]) -> None:
        def marked(self: IcebergVersion, over: IcebergBase, level: Atomicity) -> str:
            commit = mark(self, over, level)
            monkeypatch.setattr(IcebergVersion, "mark", mark)
            action()
            return commit

        monkeypatch.setattr(IcebergVersion, "mark", marked)

    return arrange


@pytest.mark.parametrize("statements", WRITES.values(), ids=WRITES.keys())
def test_a_rivals_write_is_kept(jdbc: Place, statements: list[str]) -> None:
    """The model fails and says so; what the rival wrote is there, and nothing of ours."""
    jdbc.publish(OLD)
    staged = jdbc.stage(NEW)
    rival(jdbc, statements)
    after = jdbc.rows(), jdbc.columns(), jdbc.properties()
    with pytest.raises(ConcurrentWriteError, match="another writer changed"):
        staged.commit()
    staged.abort("failed")
    assert (jdbc.rows(), jdbc.columns(), jdbc.properties()) == after
    assert staged.outcome is Outcome.NOT_COMMITTED
    assert (jdbc.staged(), staged.left_behind) == ([], [])
    assert not any(staged.version in path for path in jdbc.files())


@pytest.mark.parametrize("kind", WRITES)
def test_a_rivals_write_in_the_last_moment_is_kept(
    place: Place,
    kind: str,
    before_the_call: Callable[[Callable[[], object]], None],
) -> None:
    """The commit itself is conditional: no look before it is needed."""
    place.publish(OLD)
    staged = place.stage(NEW)
    before_the_call(lambda: rival(place, WRITES[kind]))
    if (place.catalog, kind) == ("rest", "property"):
        staged.commit()  # a REST server merges what does not touch the same things
        assert place.properties()["theirs"] == "yes"
        return
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("failed")
    assert "new" not in str(place.rows())
    assert place.staged() == []


UPKEEP = {
    "tag": ["ALTER TABLE {table} CREATE TAG theirs"],
    "branch": [
        "ALTER TABLE {table} CREATE BRANCH theirs",
        "INSERT INTO {table}.branch_theirs VALUES (8, 'theirs')",
    ],
    "expire": ["CALL {catalog}.system.expire_snapshots('{schema}.t', timestamp '2100-01-01', 1)"],
    "statistics": ["CALL {catalog}.system.compute_table_stats(table => '{schema}.t')"],
    "manifests": ["CALL {catalog}.system.rewrite_manifests(table => '{schema}.t')"],
    "compaction": ["CALL {catalog}.system.rewrite_data_files('{schema}.t', options => {options})"],
}

BRIEF = ("tag", "expire", "compaction")


def keep_up(place: Place, kind: str) -> None:
    """What a team's maintenance does."""
    names = {"catalog": place.catalog, "schema": place.schema, "table": place.table}
    names["options"] = "map('rewrite-all', 'true')"
    for statement in UPKEEP[kind]:
        place.spark.sql(statement.format(**names))


@pytest.mark.parametrize("upkeep", [one if one in BRIEF else long(one) for one in UPKEEP])
def test_upkeep_is_no_conflict(place: Place, upkeep: str) -> None:
    """Rows, schema and properties are what they were: the version goes over it."""
    place.publish(OLD)
    place.spark.sql(f"INSERT INTO {place.table} VALUES (7, 'user')")
    place.spark.sql(f"INSERT INTO {place.table} VALUES (8, 'user')")
    staged = place.stage(NEW)
    before = place.facts().metadata_location
    keep_up(place, upkeep)
    assert place.facts().metadata_location != before
    staged.commit()
    staged.settle()
    assert (place.rows(), place.staged()) == (NEW_ROWS, [])
    place.spark.sql(f"INSERT INTO {place.table} VALUES (9, 'user', 2)")
    assert len(place.rows()) == 3
    if upkeep in ("tag", "branch"):
        kept = place.rows("id, name", " VERSION AS OF 'theirs'")
        assert len(kept) == {"tag": 5, "branch": 6}[upkeep]


@pytest.mark.parametrize("upkeep", [long("tag"), long("expire"), long("manifests"), "compaction"])
def test_format_version_3_takes_rewritten_files_for_a_conflict(jdbc: Place, upkeep: str) -> None:
    """It numbers rows, and those numbers are given anew; a user's row has one of its own."""
    jdbc.publish(OLD, jdbc.context(properties={"format-version": "3"}))
    jdbc.spark.sql(f"INSERT INTO {jdbc.table} VALUES (7, 'user')")
    staged = jdbc.stage(NEW)
    keep_up(jdbc, upkeep)
    if upkeep in ("manifests", "compaction"):
        with pytest.raises(ConcurrentWriteError):
            staged.commit()
        staged.abort("failed")
        assert len(jdbc.rows()) == 4
        return
    staged.commit()
    staged.settle()
    jdbc.spark.sql(f"INSERT INTO {jdbc.table} VALUES (9, 'user', 2)")
    assert len(set(jdbc.rows("_row_id"))) == 3


@pytest.mark.parametrize("kind", ["alter", "property"])
def test_upkeep_hides_no_alter(jdbc: Place, kind: str) -> None:
    """It came before the upkeep, and is kept."""
    jdbc.publish(OLD)
    staged = jdbc.stage(OLD)
    rival(jdbc, WRITES[kind])
    keep_up(jdbc, "compaction")
    after = jdbc.columns(), jdbc.properties()
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("failed")
    assert (jdbc.columns(), jdbc.properties()) == after


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE {table} ADD COLUMNS (theirs int)",
        "ALTER TABLE {table} ADD PARTITION FIELD bucket(2, id)",
        "ALTER TABLE {table} WRITE ORDERED BY name",
    ],
)
def test_an_alter_in_the_last_moment_is_not_merged(
    place: Place, statement: str, before_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Though the version changes nothing of what it alters: a server compares it all the same."""
    place.publish(OLD)
    staged = place.stage(OLD)
    before_the_call(lambda: rival(place, [statement]))
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("failed")
    assert (len(place.rows()), place.staged()) == (3, [])


@pytest.mark.on_every_catalog
def test_a_table_that_a_rival_drops_is_created_again(place: Place) -> None:
    """Spark's create-or-replace says so: whole, with nothing of the dropped table's history."""
    place.publish(OLD)
    staged = place.stage(NEW)
    rival(place, ["DROP TABLE {table}"])
    staged.commit()
    staged.settle()
    assert place.rows() == NEW_ROWS
    versions = place.rows("summary['ctas_spark_version']", ".snapshots")
    assert {row[0] for row in versions} == {None, staged.version}


def test_a_table_to_replace_that_a_rival_drops_is_not_created(jdbc: Place) -> None:
    """With the purpose replace."""
    jdbc.publish(OLD)
    staged = jdbc.stage(NEW, jdbc.context(purpose=StagingPurpose.REPLACE))
    rival(jdbc, ["DROP TABLE {table}"])
    with pytest.raises(NoSuchTableError):
        staged.commit()
    staged.abort("failed")
    assert not jdbc.spark.catalog.tableExists(jdbc.table)
    assert jdbc.staged() == []


def test_the_second_of_two_creations_loses(
    place: Place, before_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Cleanly: the winner's table is whole, and nothing of the loser's is left."""
    staged = place.stage(OLD)
    before_the_call(lambda: place.publish(NEW))
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("failed")
    assert place.rows() == NEW_ROWS
    assert place.staged() == []
    assert not any(staged.version in path for path in place.files())


def test_a_creation_that_lost_is_an_error_or_none_by_its_purpose(
    jdbc: Place, before_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """``create`` says that the table exists, ``create_if_not_exists`` is content with theirs."""
    created = jdbc.stage(OLD, jdbc.context(purpose=StagingPurpose.CREATE))
    kept = jdbc.stage(OLD, jdbc.context(purpose=StagingPurpose.CREATE_IF_NOT_EXISTS))
    before_the_call(lambda: jdbc.publish(NEW))
    kept.commit()
    assert kept.outcome is Outcome.KEPT
    with pytest.raises(TableAlreadyExistsError):
        created.commit()
    created.abort("failed")
    assert (jdbc.rows(), jdbc.staged()) == (NEW_ROWS, [])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["insert", "replace"])
def test_control_iceberg_itself_lets_the_last_writer_win(jdbc: Place, kind: str) -> None:
    """Its own replace that began before a rival's commit lands on top of that, silently."""
    jdbc.publish(OLD)
    packages = jvm.classes(jdbc.spark).org.apache.iceberg
    catalog = packages.spark.Spark3Util.loadIcebergCatalog(jvm.session(jdbc.spark), jdbc.catalog)
    name = packages.catalog.TableIdentifier.parse(f"{jdbc.schema}.t")
    native = catalog.buildTable(name, catalog.loadTable(name).schema()).replaceTransaction()
    native.newAppend().commit()
    rival(jdbc, WRITES[kind])
    assert (7, "theirs") in jdbc.rows()
    native.commitTransaction()
    assert jdbc.rows() == []
