"""What is refused of a Delta model, its table or its session."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ctas_spark.catalogs import settings
from ctas_spark.context import (
    Atomicity,
    PartitionMetadata,
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.delta import limits
from ctas_spark.delta.facts import TableFacts
from ctas_spark.delta.limits import problems
from ctas_spark.errors import AtomicityNotSupportedError, FormatNotFoundError
from fakes.delta_logs import ID_COLUMN, table


def context(layout: TableLayout | None = None, **said: object) -> StagingContext:
    """A publication that asks for something."""
    return StagingContext(
        TableName("db", "t"),
        "db__ctas",
        layout=layout or TableLayout("delta"),
        **said,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (context(atomicity=Atomicity.NONE), "atomicity: none"),
        (context(TableLayout("delta", clustered_by=("a",), buckets=2)), "buckets"),
        (context(TableLayout("delta", ("a",), clustered_by=("b",))), "one of them"),
        (context(TableLayout("delta", options={"a": "b"})), "options"),
        (context(partition_metadata=PartitionMetadata.TRACKED), "partition_metadata"),
        (context(TableLayout("delta", properties={"delta.feature.x": "1"})), "feature.x"),
        (context(TableLayout("delta", properties={"delta.appendOnly": "true"})), "second time"),
    ],
)
def test_what_is_not_deltas_is_named(asked: StagingContext, said: str) -> None:
    """One problem, with what to do."""
    (problem,) = problems(asked)
    assert said in problem


def test_a_plain_model_has_no_problem() -> None:
    """Nor one with properties that Delta knows."""
    layout = TableLayout("delta", ("a",), properties={"delta.enableDeletionVectors": "true"})
    assert list(problems(context(layout))) == []


def test_what_a_replace_ends_is_named() -> None:
    """Constraints, what columns compute, and properties that others set and the model does not."""
    column = {**ID_COLUMN, "metadata": {"delta.generationExpression": "1 + 1"}}
    base = table(configuration={"delta.constraints.positive": "id > 0"}, column=column)
    assert list(limits.ended_by_replace(base, ())) == ["constraint positive", "generated column id"]
    assert list(limits.ended_by_replace(table(), ())) == []
    required = table(column={**ID_COLUMN, "nullable": False})
    assert list(limits.ended_by_replace(required, ())) == ["NOT NULL of column id"]
    others = table(configuration={"owner": "x", "team": "y", "delta.appendOnly": "false"})
    assert list(limits.ended_by_replace(others, {"team"})) == ["property owner"]


@pytest.mark.parametrize("check", [limits.check, limits.check_staged])
def test_untried_features_are_named(check: Callable[[TableFacts, TableName, str], None]) -> None:
    """And tried ones are not."""
    facts = table(features=("clustering", "rowTracking"))
    with pytest.raises(AtomicityNotSupportedError, match="not tested with: rowTracking"):
        check(facts, TableName("db", "t"), "unchanged")


def facts(extensions: str, *, has_delta: bool) -> settings.SessionFacts:
    """What a session is."""
    return settings.SessionFacts("4.1.4", extensions, has_iceberg=False, has_delta=has_delta)


def test_a_session_that_has_all_is_let_through() -> None:
    """The class, the extension among others, the jar."""
    settings.check_delta(
        context(),
        settings.CATALOG_OF_DELTA,
        facts(f"some.Extension, {settings.EXTENSION_OF_DELTA}", has_delta=True),
    )


def test_all_that_a_session_lacks_is_said_at_once() -> None:
    """The jar for this Spark, the class of the catalog, the extension."""
    with pytest.raises(FormatNotFoundError) as caught:
        settings.check_delta(context(), None, facts("", has_delta=False))
    for wanted in (
        limits.TRIED_JARS["4.1"],
        settings.CATALOG_OF_DELTA,
        settings.EXTENSION_OF_DELTA,
    ):
        assert wanted in caught.value.remedy


def test_another_catalog_is_refused() -> None:
    """Two-part names only."""
    other = StagingContext(TableName("db", "t", "lake"), "s", layout=TableLayout("delta"))
    with pytest.raises(AtomicityNotSupportedError, match="catalog lake"):
        settings.check_delta(
            other,
            settings.CATALOG_OF_DELTA,
            facts(settings.EXTENSION_OF_DELTA, has_delta=True),
        )


def test_an_untried_spark_is_told_which_pyspark_to_install() -> None:
    """No jar is guessed."""
    newer = replace(facts("", has_delta=False), version="4.3.0")
    with pytest.raises(FormatNotFoundError) as caught:
        settings.check_delta(context(), None, newer)
    assert "no jar for Spark 4.3 was tested" in caught.value.remedy
    assert "pip install 'pyspark==4.2.*'" in caught.value.remedy
    assert limits.TRIED_JARS["4.2"] in caught.value.remedy
