"""Old versions are looked after once, when the invocation ends."""

import logging
import threading
from collections.abc import Sequence
from typing import Any, cast

import pytest

from ctas_spark.context import StagingContext, TableName
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import MetastoreError
from ctas_spark.publish.catalog import Ruled
from ctas_spark.retention.rules import RetentionRules, Sweep
from dbt.adapters.ctas_spark import end_of_run
from dbt.adapters.ctas_spark.end_of_run import Published, look_after
from fakes.world import CONTEXT, World


class FakeCatalog:
    """Says what it is asked.

    A table in ``broken`` fails, and one in ``hanging`` never answers. None can be looked at
    together with one in ``lost``.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.broken: set[str] = set()
        self.hanging: set[str] = set()
        self.lost: set[str] = set()
        self.looks = 0
        self.threads: set[int] = set()
        self.go_on = threading.Event()

    def clean_ups(self, tables: Sequence[Ruled]) -> Any:
        """They are looked at together, unless one of them is not there."""
        if self.lost & {context.target.table for context, _ in tables}:
            raise MetastoreError("a table can't be read")
        self.looks += 1
        return self.clean_up

    def clean_up(self, context: StagingContext, rules: RetentionRules) -> Sweep:
        table = context.target.table
        self.threads.add(threading.get_ident())
        if table in self.broken:
            raise MetastoreError("the metastore is away")
        if table in self.hanging:
            self.go_on.wait(60)
        self.calls.append(table)
        return Sweep(freed=["a", "b"][: rules.versions_to_keep])


@pytest.fixture
def catalog() -> FakeCatalog:
    """A catalog that answers."""
    return FakeCatalog()


def run(catalog: FakeCatalog, *tables: str, interrupted: bool = False) -> list[str]:
    """What is said after these tables were published."""
    said = list[str]()
    tables_of_run = [published(catalog, table) for table in tables]
    look_after(tables_of_run, said.append, interrupted=interrupted)
    return said


def published(catalog: FakeCatalog, table: str) -> Published:
    """A table that a model has published."""
    context = StagingContext(TableName("shop", table), "s")
    return Published(cast("Any", catalog), context, RetentionRules(2), "v", WriteFigures(rows=1))


def test_versions_go_when_the_run_ends(catalog: FakeCatalog) -> None:
    """One line has the counts."""
    assert run(catalog, "orders") == ["2 old versions were deleted"]
    assert catalog.calls == ["orders"]


def test_where_nothing_was_published_nothing_is_said(catalog: FakeCatalog) -> None:
    """No thread is started either."""
    assert run(catalog) == []
    assert catalog.calls == []


def test_one_tables_trouble_stops_no_others(
    catalog: FakeCatalog, caplog: pytest.LogCaptureFixture
) -> None:
    """It is a warning; the invocation does not fail of it."""
    caplog.set_level(logging.WARNING)
    catalog.broken = {"b"}
    (said,) = run(catalog, "a", "b", "c")
    assert said == "4 old versions were deleted; 1 table was not cleaned up, because of an error"
    (warning,) = [one.getMessage() for one in caplog.records]
    assert warning == "shop.b: old versions were not deleted this time: the metastore is away"


def test_a_few_threads_share_the_tables(catalog: FakeCatalog) -> None:
    """The threads of models do none of this work."""
    run(catalog, *map(str, range(50)))
    assert len(catalog.calls) == 50
    assert threading.get_ident() not in catalog.threads
    assert len(catalog.threads) <= end_of_run.MOST_THREADS


def test_tables_are_read_together(catalog: FakeCatalog) -> None:
    """All of a staging schema, by whichever thread comes first."""
    run(catalog, *map(str, range(12)))
    assert (catalog.looks, len(catalog.calls)) == (1, 12)


def test_tables_are_read_one_by_one_if_one_of_them_breaks_that(catalog: FakeCatalog) -> None:
    """Each has its own trouble, or none."""
    catalog.lost = {"9"}
    run(catalog, *map(str, range(12)))
    assert (catalog.looks, len(catalog.calls)) == (0, 12)


@pytest.mark.parametrize("interrupted", [True, False])
def test_a_call_that_hangs_does_not_hold_the_process(
    catalog: FakeCatalog,
    monkeypatch: pytest.MonkeyPatch,
    *,
    interrupted: bool,
) -> None:
    """What is not reached in time is left to the next run; an interrupted one has less time."""
    limit = "SECONDS_WHEN_INTERRUPTED" if interrupted else "SECONDS"
    monkeypatch.setattr(end_of_run, "SECONDS", 50.0)
    monkeypatch.setattr(end_of_run, limit, 0.05)
    catalog.hanging = {"a"}
    (said,) = run(catalog, "a", interrupted=interrupted)
    catalog.go_on.set()
    assert said == "1 table was left to the next run's clean-up"


def test_the_version_of_files_before_goes() -> None:
    """The same on the catalog of tables of files."""
    world = World()
    old, new = world.published(), world.published()
    rules = RetentionRules(versions_to_keep=0, grace_ms=0)
    run = [
        Published(world.catalog(), CONTEXT, rules, staged.version, WriteFigures(rows=3))
        for staged in (old, new)
    ]
    look_after(run, lambda _: None)
    assert world.versions_on_storage() == {new.version}
