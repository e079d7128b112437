"""What attempts left staged goes by its age, and nothing else goes."""

from dataclasses import replace

import pytest

from ctas_spark.catalogs.levels import HADOOP
from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import StagingContext, TableLayout, TableName
from ctas_spark.errors import MetastoreError, StagingError
from ctas_spark.publish.marker import new_version_id
from ctas_spark.publish.rollback import NoJob
from ctas_spark.retention.rules import Reason, RetentionRules, Sweep
from ctas_spark.statement.catalog import StatementCatalog
from fakes.sql_catalog import FakeSqlCatalog, named, tables_of

CONTEXT = StagingContext(
    TableName("shop", "t", "ice"), "stg", layout=TableLayout(format_given=False)
)
PATH = "`ice`.`shop`.`t`"


def swept(
    catalog: FakeSqlCatalog, rules: RetentionRules | None = None, *, dry_run: bool = False
) -> Sweep:
    """What another run deletes."""
    run = StatementCatalog(tables_of(catalog), HADOOP)
    return run.clean_up(CONTEXT, rules or RetentionRules(), dry_run=dry_run)


def left(catalog: FakeSqlCatalog, context: StagingContext = CONTEXT) -> str:
    """A run that was killed after its CTAS; the version's id."""
    table = StatementCatalog(tables_of(catalog), HADOOP).plan(context, NoJob()).begin()
    catalog.ask(table.statement("SELECT 1 AS id"))
    return table.version


def path_of(version: str) -> str:
    """Its staged table."""
    return f"`ice`.`stg`.`t__{version}`"


def test_an_orphan_goes_once_it_is_old() -> None:
    """Its last commit counts as well as its start; a dry run says the same, and deletes nothing."""
    catalog = FakeSqlCatalog()
    table = StatementCatalog(tables_of(catalog), HADOOP).plan(CONTEXT, NoJob()).begin()
    catalog.clock.pass_ms(5_000)
    catalog.ask(table.statement("SELECT 1 AS id"))
    version = table.version
    catalog.clock.pass_ms(ORPHAN_AGE_MS - 1)
    assert swept(catalog).kept == {version: Reason.YOUNG}
    catalog.clock.pass_ms(1)
    name = f"ice.stg.t__{version}"
    assert swept(catalog, dry_run=True).freed == [name]
    assert list(catalog.shown) == [path_of(version)]
    assert swept(catalog).freed == [name]
    assert catalog.shown == {}


def test_a_smaller_age_is_believed() -> None:
    """The argument of ctas_vacuum; its writer finds the staged table gone and publishes nothing."""
    catalog = FakeSqlCatalog()
    table = StatementCatalog(tables_of(catalog), HADOOP).plan(CONTEXT, NoJob()).begin()
    catalog.ask(table.statement("SELECT 1 AS id"))
    assert len(swept(catalog, RetentionRules(orphan_age_ms=0)).freed) == 1
    with pytest.raises(StagingError, match="is gone"):
        table.commit()
    assert catalog.shown == {}


def test_an_orphan_of_a_name_in_mixed_case_goes() -> None:
    """A Hive metastore lists all names in lower case."""
    catalog = FakeSqlCatalog()
    context = replace(CONTEXT, target=TableName("shop", "MixedCase", "ice"))
    version = left(catalog, context)
    catalog.answers["SHOW TABLES"] = [{"tableName": f"mixedcase__{version}", "isTemporary": False}]
    catalog.clock.pass_ms(ORPHAN_AGE_MS)
    run = StatementCatalog(tables_of(catalog), HADOOP)
    assert run.clean_up(context, RetentionRules()).freed == [f"ice.stg.mixedcase__{version}"]
    assert catalog.shown == {}


def test_what_was_not_staged_for_the_target_stays() -> None:
    """Another table's, somebody's own, a fork of Iceberg's, and what another release named."""
    catalog = FakeSqlCatalog()
    old = new_version_id(catalog.clock.wall)
    longer = replace(CONTEXT, target=TableName("shop", "t__x", "ice"))
    elsewhere = replace(CONTEXT, target=TableName("other", "t", "ice"))
    kept = [
        f"`ice`.`stg`.`t__x__{left(catalog, longer)}`",
        path_of(left(catalog, elsewhere)),
    ]
    for own in (
        {},
        {"ctas_spark_target": "ice.shop.t", "ctas_spark_version": old},
        {"ctas_spark_staged_for": "ice.shop.t", "ctas_spark_staged_as": "of_its_source"},
    ):
        kept.append(path_of(new_version_id(catalog.clock.wall)))
        catalog.write(kept[-1], "rows", own)
    kept.append(path_of("backup"))
    catalog.write(kept[-1], "rows", {"ctas_spark_staged_for": "ice.shop.t"})
    catalog.clock.pass_ms(10 * ORPHAN_AGE_MS)
    assert swept(catalog) == Sweep()
    assert sorted(catalog.shown) == sorted(kept)


def test_the_target_is_never_dropped() -> None:
    """Not even one that says that it was staged: it is not in the staging schema."""
    catalog = FakeSqlCatalog()
    own = {"ctas_spark_staged_for": "ice.shop.t", "ctas_spark_staged_as": "t"}
    catalog.write(PATH, "rows", own)
    catalog.clock.pass_ms(10 * ORPHAN_AGE_MS)
    assert swept(catalog) == Sweep()
    assert not any(statement.startswith("DROP") for statement in catalog.statements)


def test_without_a_staging_schema_there_is_nothing_to_clean_up() -> None:
    """Nor is one made."""
    catalog = FakeSqlCatalog()
    catalog.missing_namespaces = {"`ice`.`stg`"}
    assert swept(catalog) == Sweep()
    assert catalog.missing_namespaces == {"`ice`.`stg`"}


def test_no_answer_deletes_nothing() -> None:
    """And is an error."""
    catalog = FakeSqlCatalog()
    version = left(catalog)
    catalog.clock.pass_ms(10 * ORPHAN_AGE_MS)
    catalog.failure = named("SOMETHING")
    with pytest.raises(MetastoreError):
        swept(catalog)
    assert list(catalog.shown) == [path_of(version)]


def test_a_version_that_another_run_took_first_is_no_error() -> None:
    """Between the listing and the drop."""
    catalog = FakeSqlCatalog()
    version = left(catalog)
    catalog.clock.pass_ms(2 * ORPHAN_AGE_MS)
    looks = 0

    def taken(statement: str) -> None:
        nonlocal looks
        looks += statement.startswith("REFRESH")
        if looks > 1 and catalog.shown:
            catalog.drop(path_of(version))

    catalog.before = taken
    assert swept(catalog).kept == {version: Reason.TAKEN}


def test_a_delta_tables_age_is_that_of_its_id() -> None:
    """Over Thrift its times have no zone."""
    catalog = FakeSqlCatalog()
    catalog.answers["DESCRIBE HISTORY"] = [
        {"version": 0, "userMetadata": None, "operation": "CREATE TABLE AS SELECT"}
    ]
    catalog.answers["DESCRIBE DETAIL"] = [{"format": "delta", "id": "i1"}]
    found = tables_of(catalog, file_format="delta")
    run = StatementCatalog(found, HADOOP)
    table = run.plan(CONTEXT, NoJob()).begin()
    catalog.ask(table.statement("SELECT 1 AS id"))
    assert run.clean_up(CONTEXT, RetentionRules()).kept == {table.version: Reason.YOUNG}
    catalog.clock.pass_ms(ORPHAN_AGE_MS)
    assert len(run.clean_up(CONTEXT, RetentionRules()).freed) == 1


def test_what_is_staged_for_a_table_that_no_model_builds_is_found() -> None:
    """By its own properties, which say whose it is; a dry run deletes nothing of it."""
    catalog, known = FakeSqlCatalog(), [TableName("shop", "customers", "ice")]
    version = left(catalog)
    run = StatementCatalog(tables_of(catalog), HADOOP)
    assert run.abandoned(CONTEXT, [*known, CONTEXT.target]) == ()
    assert run.abandoned(CONTEXT, known) == (CONTEXT.target,)
    catalog.clock.pass_ms(ORPHAN_AGE_MS + 1_000)
    for dry_run in (True, False):
        delete = run.begin_clean_up_abandoned(CONTEXT, RetentionRules(), dry_run=dry_run)
        assert path_of(version) in catalog.shown
        assert delete().freed == [f"ice.stg.t__{version}"]
    assert run.abandoned(CONTEXT, known) == ()


def test_a_staging_schema_that_is_not_there_has_nothing_abandoned() -> None:
    """None is made for that."""
    catalog = FakeSqlCatalog()
    catalog.missing_namespaces |= {"`ice`.`stg`", "`ice`.`shop`"}
    assert (
        StatementCatalog(tables_of(catalog, has_branches=True), HADOOP).abandoned(CONTEXT, []) == ()
    )
    assert "`ice`.`stg`" in catalog.missing_namespaces
