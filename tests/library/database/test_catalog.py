"""What a database does not do is refused with the reason; what killed runs left goes by its age."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import PySparkException

from contract.subjects import logged
from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from ctas_spark.database.catalog import open_database
from ctas_spark.database.tables import staged_name
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConfigurationError,
    MetastoreError,
    NoSuchSchemaError,
    NoSuchTableError,
    NoSuchVersionError,
    NotSupportedError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.marker import new_version_id
from ctas_spark.publish.version import Outcome
from ctas_spark.redaction import HIDDEN
from ctas_spark.retention.rules import Reason, RetentionRules
from fakes.database import CONTEXT, THEIRS, FakeDatabase, begun, staged, staging

LONG = "a_table_with_a_name_as_long_as_people_give_them_in_dbt_projects"


def asking(**asked: Any) -> StagingContext:
    """A model with these configs."""
    return replace(CONTEXT, **asked)


@pytest.mark.parametrize("purpose", [StagingPurpose.REPLACE, StagingPurpose.CREATE_OR_REPLACE])
def test_a_table_that_exists_is_not_replaced(purpose: StagingPurpose) -> None:
    """No single statement does that; the error says what to write instead, before any job."""
    database = FakeDatabase()
    database.make("orders")
    with pytest.raises(NotSupportedError, match="two renames") as refused:
        begun(database, asking(purpose=purpose))
    assert "create_if_not_exists" in refused.value.remedy
    assert database.rows == {"orders": THEIRS}


def test_the_other_purposes_do_what_they_say() -> None:
    """create over a table, replace of none; create_if_not_exists keeps what is there."""
    database = FakeDatabase()
    with pytest.raises(NoSuchTableError):
        begun(database, asking(purpose=StagingPurpose.REPLACE))
    database.make("orders")
    with pytest.raises(TableAlreadyExistsError):
        begun(database, asking(purpose=StagingPurpose.CREATE))
    kept = begun(database, asking(purpose=StagingPurpose.CREATE_IF_NOT_EXISTS))
    assert (kept.outcome, database.rows) == (Outcome.KEPT, {"orders": THEIRS})


@pytest.mark.parametrize("purpose", list(StagingPurpose))
def test_a_view_in_its_place_is_an_error(purpose: StagingPurpose) -> None:
    """It is no table that could be kept, and nothing replaces it."""
    database = FakeDatabase()
    database.others["orders"] = "VIEW"
    with pytest.raises(StagingError, match="a relation of the type VIEW"):
        begun(database, asking(purpose=purpose))


def test_only_a_purpose_that_ends_after_one_run_is_warned_of() -> None:
    """The default creates the table, and can't build it a second time."""
    with logged() as lines:
        begun(FakeDatabase())
    assert "the next run of this model will be refused" in "\n".join(lines)
    with logged() as lines:
        begun(FakeDatabase(), asking(purpose=StagingPurpose.CREATE_IF_NOT_EXISTS))
    assert lines == []


def test_a_missing_schema_is_said_before_any_job() -> None:
    """The target's; there is no staging schema."""
    database = FakeDatabase()
    database.schemas.clear()
    with pytest.raises(NoSuchSchemaError, match="schema app does not exist"):
        begun(database)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"layout": TableLayout("orc")}, "file_format"),
        ({"layout": TableLayout(partition_by=("id",), format_given=False)}, "partition_by"),
        ({"layout": TableLayout(location_root="/x", format_given=False)}, "location_root"),
        ({"layout": TableLayout(options={"a": "b"}, format_given=False)}, "use tblproperties"),
        (
            {"layout": TableLayout(column_comments={"id": "its"}, format_given=False)},
            "persist_docs",
        ),
        ({"on_conflict": OnConflict.OVERWRITE}, "on_conflict"),
        ({"target": TableName("app", "Orders", "pg")}, "'Orders' without quotes"),
        ({"target": TableName("app", "x" * 64, "pg")}, "at most 63"),
        ({"target": TableName("app", "order", "pg")}, "'order' is a reserved word"),
    ],
)
def test_what_such_a_table_does_not_have_is_a_wrong_config(
    asked: dict[str, Any], said: str
) -> None:
    """Nothing is asked of the database; no NotSupportedError lets a seed go another way."""
    database = FakeDatabase()
    with pytest.raises(ConfigurationError, match=said):
        begun(database, asking(**asked))
    assert database.statements == []


def test_none_by_name_is_refused() -> None:
    """There is nothing in place to fill."""
    with pytest.raises(AtomicityNotSupportedError, match="none"):
        begun(FakeDatabase(), asking(atomicity=Atomicity.NONE))


def configured(url: str | None, driver: str | None = None) -> Any:
    """A session with a catalog ``pg``."""
    settings = {"spark.sql.catalog.pg.url": url, "spark.sql.catalog.pg.driver": driver}
    return SimpleNamespace(conf=SimpleNamespace(get=lambda key, _: settings.get(key)))


@pytest.mark.parametrize("url", ["jdbc:mysql://h/d", "jdbc:postgresqlish://h", HIDDEN, None])
def test_another_database_is_refused(url: str | None) -> None:
    """auto does not weaken to that; the URL, which may hold a password, is not told."""
    with pytest.raises(AtomicityNotSupportedError, match="it is not known") as refused:
        open_database(configured(url, driver="com.mysql.cj.jdbc.Driver"), CONTEXT)
    assert "jdbc:" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "driver"), [("jdbc:postgresql://h/d", None), (HIDDEN, "org.postgresql.Driver")]
)
def test_postgresql_is_known_by_its_url_or_its_driver(url: str, driver: str | None) -> None:
    """Over Thrift, Spark hides the URL."""
    assert open_database(configured(url, driver), CONTEXT).name == "pg"


def test_there_is_no_way_back_no_history_and_nothing_to_recover() -> None:
    """A rename has happened or not, and what it published has no version before it."""
    catalog = staging(FakeDatabase())
    with pytest.raises(NoSuchVersionError, match="no earlier one"):
        catalog.roll_back(CONTEXT)
    assert (catalog.history(CONTEXT), catalog.recover(CONTEXT)) == ((), ())


def test_what_a_killed_run_staged_goes_at_a_later_begin_once_it_is_old() -> None:
    """Also if that run keeps the table, and so has nothing to look after when it ends."""
    database = FakeDatabase()
    died = staged(database)
    database.make("orders")
    database.clock.pass_ms(ORPHAN_AGE_MS - 1_000)
    begun(database, asking(purpose=StagingPurpose.CREATE_IF_NOT_EXISTS))
    assert len(database.tables) == 2
    database.clock.pass_ms(2_000)
    begun(database, asking(purpose=StagingPurpose.CREATE_IF_NOT_EXISTS))
    assert database.rows == {"orders": THEIRS}
    with pytest.raises(StagingError):
        died.commit()


def test_a_vacuum_takes_a_smaller_age_and_its_dry_run_drops_nothing() -> None:
    """And says what it would drop."""
    database, rules = FakeDatabase(), RetentionRules(orphan_age_ms=0)
    died = staged(database)
    catalog = staging(database)
    assert catalog.clean_up(CONTEXT, RetentionRules()).kept == {died.version: Reason.YOUNG}
    name = f"pg.app.orders__ctas_{died.version}"
    assert catalog.clean_up(CONTEXT, rules, dry_run=True).freed == [name]
    assert len(database.tables) == 1
    assert catalog.clean_ups([(CONTEXT, rules)])(CONTEXT, rules).freed == [name]
    assert database.tables == {}


def test_only_what_was_staged_for_the_target_goes() -> None:
    """By the whole name: that of another table, and somebody's own, stay."""
    database = FakeDatabase()
    old = new_version_id(database.clock.wall)
    kept = {"orders", "orders__ctas_backup", f"orders__ctas_x{old}", f"orders_{old}"}
    kept |= {f"more_orders__ctas_{old}", f"orders__ctas_a__ctas_{old}"}
    for name in kept:
        database.make(name)
    staging(database).clean_up(CONTEXT, RetentionRules(orphan_age_ms=0))
    assert set(database.tables) == kept


def test_a_long_name_is_cut_and_stays_that_of_one_table() -> None:
    """PostgreSQL cuts names without a word, so that two tables would have one name."""
    version = new_version_id(0)
    names = {staged_name(TableName("app", f"{LONG[:61]}{n}", "pg"), version).table for n in "12"}
    assert len(names) == 2
    assert {len(name) for name in names} == {63}


def test_a_clean_up_without_an_answer_drops_nothing_and_stops_no_model() -> None:
    """A vacuum fails, and a model goes on."""
    database = FakeDatabase()

    def lost(statement: str) -> None:
        if "relname FROM" in statement:
            raise PySparkException("no answer")

    staged(database)
    database.clock.pass_ms(ORPHAN_AGE_MS)
    database.before = lost
    with pytest.raises(MetastoreError):
        staging(database).clean_up(CONTEXT, RetentionRules(orphan_age_ms=0))
    with logged() as lines:
        begun(database)
    assert "was not deleted this time" in "\n".join(lines)
    assert len(database.tables) == 1
