"""A REST catalog: forks until the server refuses one, and SQL from then on."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.catalogs.rest import RestCatalog
from ctas_spark.context import Atomicity, StagingContext, TableName
from ctas_spark.errors import NotSupportedError, RefusedError
from ctas_spark.iceberg.limits import no_second_name
from ctas_spark.publish.staged_table import Plan
from ctas_spark.retention.rules import RetentionRules, Sweep
from fakes.engine import FakeJob

TARGET = TableName("shop", "orders", "ice")
CONTEXT = StagingContext(TARGET, "shop__ctas_spark")
JOB = FakeJob()


class WriteMode:
    """One of the two catalogs; its plans fail at begin with ``error``."""

    def __init__(self, name: str, error: Exception) -> None:
        self.name = name
        self.error = error
        self.swept = 0

    def plan(self, context: StagingContext, job: Any) -> Plan:
        """One that says which way it is, by its error."""
        return Plan(context, Atomicity.ISOLATED, job, self._fail)

    def _fail(self, *_: Any) -> Any:
        raise self.error

    def clean_up(self, *_: Any, dry_run: bool) -> Sweep:
        """One version went."""
        assert not dry_run
        self.swept += 1
        return Sweep(freed=[self.name])


@pytest.fixture
def ways() -> SimpleNamespace:
    """The server refuses forks."""
    refused = no_second_name(TARGET, RefusedError("it lies elsewhere"))
    forked, in_sql = WriteMode("fork", refused), WriteMode("sql", RuntimeError("in SQL"))
    catalog: Any = RestCatalog(forked, in_sql)  # type: ignore[arg-type]  # as far as they are asked
    return SimpleNamespace(forked=forked, in_sql=in_sql, catalog=catalog)


def test_a_refused_fork_is_no_error(ways: SimpleNamespace) -> None:
    """The model goes on in SQL; the next ones do not try a fork."""
    with pytest.raises(RuntimeError, match="in SQL"):
        ways.catalog.plan(CONTEXT, JOB).begin()
    ways.forked.error = AssertionError("tried again")
    with pytest.raises(RuntimeError, match="in SQL"):
        ways.catalog.plan(CONTEXT, JOB).begin()


def test_another_error_stays_one(ways: SimpleNamespace) -> None:
    """What is wrong with a model is not what the server takes."""
    ways.forked.error = NotSupportedError("not this model")
    with pytest.raises(NotSupportedError, match="not this model"):
        ways.catalog.plan(CONTEXT, JOB).begin()


def test_what_sql_left_is_looked_for_where_there_may_be_some(ways: SimpleNamespace) -> None:
    """In a vacuum, and once a fork was refused: it takes statements."""
    sweep: Callable[..., Sweep] = ways.catalog.clean_up
    assert sweep(CONTEXT, RetentionRules()).freed == ["fork"]
    assert sweep(CONTEXT, RetentionRules(thorough=True)).freed == ["fork", "sql"]
    with pytest.raises(RuntimeError, match="in SQL"):
        ways.catalog.plan(CONTEXT, JOB).begin()
    assert sweep(CONTEXT, RetentionRules()).freed == ["fork", "sql"]
