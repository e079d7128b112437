"""What such a catalog cannot do is refused by name, before any job."""

from dataclasses import replace

import pytest

from ctas_spark.catalogs.levels import HADOOP
from ctas_spark.context import (
    Atomicity,
    StagingPurpose,
    TableLayout,
)
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    NoSuchSchemaError,
    NoSuchTableError,
    NoSuchVersionError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.rollback import NoJob
from ctas_spark.publish.version import Outcome
from ctas_spark.statement.catalog import StatementCatalog
from fakes.branches import FakeBranches
from fakes.sql_catalog import FakeSqlCatalog, tables_of
from fakes.sql_world import CONTEXT, PATH, begun, published, staging


def test_a_purpose_that_does_not_fit_begins_no_job() -> None:
    """create over a table, replace of none; create_if_not_exists keeps what is there."""
    catalog = FakeSqlCatalog()
    with pytest.raises(NoSuchTableError):
        begun(catalog, replace(CONTEXT, purpose=StagingPurpose.REPLACE))
    published(catalog)
    with pytest.raises(TableAlreadyExistsError):
        begun(catalog, replace(CONTEXT, purpose=StagingPurpose.CREATE))
    kept = begun(catalog, replace(CONTEXT, purpose=StagingPurpose.CREATE_IF_NOT_EXISTS))
    assert kept.outcome is Outcome.KEPT


def test_a_view_in_its_place_is_not_replaced() -> None:
    """No statement does that: nothing is started."""
    catalog = FakeSqlCatalog()
    catalog.described[PATH] = [
        {"col_name": "# Detailed Table Information", "data_type": ""},
        {"col_name": "Type", "data_type": "VIEW"},
    ]
    with pytest.raises(AtomicityNotSupportedError, match="a view is in the place"):
        begun(catalog)


def test_a_missing_schema_is_said_before_any_job() -> None:
    """And no staging schema is made for it."""
    catalog = FakeSqlCatalog()
    catalog.missing_namespaces = {"`ice`.`shop`", "`ice`.`stg`"}
    with pytest.raises(NoSuchSchemaError):
        begun(catalog)
    assert catalog.missing_namespaces == {"`ice`.`shop`", "`ice`.`stg`"}


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (TableLayout(location_root="/x"), "places its tables itself"),
        (TableLayout(clustered_by=("id",), buckets=2), r"bucket\(8, id\)"),
        (TableLayout("delta", clustered_by=("id",)), "CLUSTER BY"),
    ],
)
def test_what_such_a_table_can_not_have_is_refused(layout: TableLayout, said: str) -> None:
    """Before anything is asked of the catalog."""
    catalog = FakeSqlCatalog()
    with pytest.raises(AtomicityNotSupportedError, match=said):
        begun(catalog, replace(CONTEXT, layout=layout))
    assert catalog.statements == []


@pytest.mark.parametrize("of", ["table", "model"])
def test_an_encrypted_table_is_refused(of: str) -> None:
    """What is staged would be in plain text, or nobody could read what is published."""
    catalog = FakeSqlCatalog()
    published(catalog)
    own = {"encryption.key-id": "k"}
    context = CONTEXT
    if of == "table":
        catalog.shown[PATH] |= own
    else:
        context = replace(CONTEXT, layout=TableLayout(properties=own, format_given=False))
    with pytest.raises(AtomicityNotSupportedError, match=r"encryption\.key-id is k"):
        begun(catalog, context)
    assert list(catalog.shown) == [PATH]


@pytest.mark.parametrize(
    ("shown", "instead"),
    [("sort-order", "write ORDER BY"), ("identifier-fields", "DROP IDENTIFIER FIELDS")],
)
@pytest.mark.parametrize("has_branches", [True, False])
def test_what_a_copy_would_drop_is_refused(shown: str, instead: str, *, has_branches: bool) -> None:
    """With what to write instead, and also where a branch would keep it."""
    catalog = FakeBranches()
    published(catalog)
    catalog.shown[PATH][shown] = "id"
    tables = tables_of(catalog, has_branches=has_branches)
    plan = StatementCatalog(tables, HADOOP).plan(CONTEXT, NoJob())
    with pytest.raises(AtomicityNotSupportedError) as refused:
        plan.begin()
    assert instead in refused.value.remedy
    assert list(catalog.shown) == [PATH]


@pytest.mark.parametrize("level", [Atomicity.ISOLATED, Atomicity.NONE])
def test_a_level_that_is_not_kept_is_refused(level: Atomicity) -> None:
    """The stronger one with its reason, the weaker one because a commit is all or nothing."""
    with pytest.raises(AtomicityNotSupportedError):
        begun(FakeSqlCatalog(), replace(CONTEXT, atomicity=level))


def test_there_is_no_way_back_and_nothing_to_recover() -> None:
    """No statement restores what another replaced; what it did not finish is not there."""
    catalog = staging(FakeSqlCatalog())
    with pytest.raises(NoSuchVersionError, match="has no statement that restores"):
        catalog.roll_back(CONTEXT)
    assert catalog.recover(CONTEXT) == ()
