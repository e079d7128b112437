"""A declaration is believed as far as the probe agrees, and the probe sees what connectors do."""

import re

import pytest

from dbt.adapters.ctas_spark.staging.catalogs.declared import probed
from dbt.adapters.ctas_spark.staging.catalogs.statement_kinds import HADOOP, of_list
from dbt.adapters.ctas_spark.staging.context import Atomicity, TableLayout
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, StagingError
from dbt.adapters.ctas_spark.staging.statement.probe import Probe
from fakes.by_statement import FakeCatalog, services

LAYOUT = TableLayout(format_given=False)


def seen(catalog: FakeCatalog, level: Atomicity) -> str | None:
    """What a probe of the level sees; nothing is left of it."""
    found = Probe(services(catalog), "staging", LAYOUT).disagreement(level)
    assert catalog.shown == {}
    return found


def test_a_catalog_that_stages_is_atomic() -> None:
    """Nothing contradicts."""
    assert seen(FakeCatalog(), Atomicity.ATOMIC) is None


def test_a_catalog_that_refuses_a_commit_over_anothers_is_isolated() -> None:
    """Nothing contradicts."""
    assert seen(FakeCatalog(checks=True), Atomicity.ISOLATED) is None


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("truncates", "after a replace whose data failed the table showed (('old',),)"),
        ("drops first", "after a replace whose data failed there was no table"),
        ("shows early", "between stageReplace and its commit the table showed what was not"),
        ("abort deletes", "after stageReplace and abortStagedChanges there was no table"),
        ("loses rows", "after stageReplace and commitStagedChanges the table showed (('new',),)"),
        ("no properties", "properties were gone"),
    ],
)
def test_what_a_connector_does_wrong_is_seen(fault: str, said: str) -> None:
    """The first is Paimon's way, the fourth Hudi's."""
    found = seen(FakeCatalog((fault,), checks=True), Atomicity.ATOMIC)
    assert found is not None
    assert said in found


@pytest.mark.parametrize(
    ("catalog", "said"),
    [
        (FakeCatalog(), "commitStagedChanges succeeded over an INSERT"),
        (FakeCatalog(("no versions",), checks=True), "it says no version to Spark"),
        (FakeCatalog(("refuses too late",), checks=True), "changed the table all the same"),
    ],
)
def test_what_is_atomic_and_not_isolated_is_seen(catalog: FakeCatalog, said: str) -> None:
    """A rival's commit is lost, or not seen, or harmed."""
    assert seen(catalog, Atomicity.ATOMIC) is None
    assert re.search(said, seen(catalog, Atomicity.ISOLATED) or "")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("no answer", "no answer"),
        ("fails otherwise", "disk full"),
        ("ignores failures", "ended without an error"),
    ],
)
def test_what_can_not_be_found_out_is_an_error(fault: str, said: str) -> None:
    """And no "no"; nothing is left behind."""
    catalog = FakeCatalog((fault,))
    with pytest.raises(StagingError, match=said) as failed:
        Probe(services(catalog), "staging", LAYOUT).disagreement(Atomicity.ATOMIC)
    assert not isinstance(failed.value, AtomicityNotSupportedError)
    assert catalog.shown == {}


def test_a_class_that_does_not_stage_is_not_probed() -> None:
    """Spark drops and creates there: no scratch table is needed to know that."""
    with pytest.raises(AtomicityNotSupportedError, match=r"x\.Lake is no StagingTableCatalog"):
        probed(services(FakeCatalog(stages=False)), LAYOUT, Atomicity.ATOMIC, None)


def test_what_is_on_the_list_is_not_probed() -> None:
    """A suite has run it; a higher declaration is."""
    catalog = FakeCatalog()
    found = probed(services(catalog), LAYOUT, Atomicity.ATOMIC, HADOOP)("staging")
    assert (found, catalog.commits) == (of_list(HADOOP), 0)
    with pytest.raises(AtomicityNotSupportedError, match="succeeded over an INSERT") as refused:
        probed(services(catalog), LAYOUT, Atomicity.ISOLATED, HADOOP)("staging")
    assert "it is known, and reaches atomic" in refused.value.remedy
