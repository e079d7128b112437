"""docs/catalogs.md says what the code says, and the code what the suites hold it to."""

import pytest

from contract.claims import CLAIMS, SWAPS
from contract.reached import PAGE, claims_of, page
from ctas_spark.catalogs.levels import LEVELS, CatalogLevel, over_a_server, row
from ctas_spark.context import Atomicity
from ctas_spark.files.catalog import reached
from ctas_spark.publish.catalog import ConflictCheck

CLAIMED = [
    level
    for level in LEVELS
    # the Hive of Spark 3 does not compare, so that no suite can hold such a row there
    if claims_of(level) and (SWAPS or level.reached.conflict_check is not ConflictCheck.CAS)
]


def test_the_page_is_what_its_command_writes() -> None:
    """No line of its tables was written by hand."""
    assert PAGE.read_text() == page(PAGE.read_text())


@pytest.mark.parametrize("level", CLAIMED, ids=lambda level: level.catalog)
def test_the_contract_suite_claims_the_same(level: CatalogLevel) -> None:
    """Level and conflict check."""
    for name in claims_of(level):
        claim = CLAIMS[name]
        assert level.reached.conflict_check is claim.conflict_check
        assert level.reached.reaches is claim.strongest


def test_dbt_debug_says_the_same_row() -> None:
    """The one of the profile's method and the format, by what was found; none where none fits."""
    by_cas, by_nothing = reached(ConflictCheck.CAS), reached(ConflictCheck.NONE)
    assert row("thrift", "orc", by_nothing).startswith("Hive with neither | parquet, orc")
    assert row("thrift", "orc", by_cas).endswith("| connect, thrift | isolated | compare-and-swap")
    assert row("thrift", "rc", by_cas) == ""
    assert row("session", "delta", by_nothing).startswith("Delta's, over a Delta table |")
    in_sql = over_a_server("delta", "Thrift")
    assert row("thrift", "delta", in_sql) == "Delta's | delta | thrift | atomic | nothing"


def test_what_is_not_isolated_says_why_and_what_would_be() -> None:
    """Each line of the table, for the error that a level asked for by name ends with."""
    for level in LEVELS:
        weak = level.reached.reaches is not Atomicity.ISOLATED
        said = bool(level.reached.missing), bool(level.reached.remedy)
        assert said == (weak, weak), level.catalog
