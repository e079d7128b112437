"""How dbt-spark's own classes are run here: fixtures in this adapter's words, and what can't apply.

No assertion is changed.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from dbt.adapters.spark.impl import SparkAdapter
from dbt.tests.fixtures.project import TestProjInfo

from conformance import dialect
from conformance.fixtures import (
    OurErrors,
    RefusedGrants,
    SparksTypes,
    StagedSql,
    StagedWithQuotedColumn,
)
from conformance.not_applicable import GRANTS

TIMEOUT = (
    "sets query_timeout, poll_interval and query_retries, which dbt-spark has for PyHive's "
    "connections only; this adapter's profile refuses each by name"
)
IN_DELTA = """
create table <model_identifier> using `delta` location <model_identifier> as
"""


class StagedInDelta(StagedSql):
    ctas = IN_DELTA


class QuotedColumnInDelta(StagedWithQuotedColumn):
    ctas = IN_DELTA


class KeptOldRows(OurErrors):
    """The failed model has not replaced its table."""

    @pytest.fixture(scope="class")
    def expected_color(self) -> str:
        return "blue"


class DatesAsTexts:
    """A statement of the tests' own inserts a text into a column of dates."""

    @pytest.fixture(scope="class", autouse=True)
    def in_sparks_dialect(self) -> Iterator[None]:
        def run_sql_for_tests(_: object, sql: str, fetch: str, __: object) -> Any:
            return dialect.fetched(sql, fetch)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SparkAdapter, "run_sql_for_tests", run_sql_for_tests)
            yield


class WithoutMerge:
    """Merge on Parquet, with which one of the models has to fail, works here."""

    @pytest.fixture(scope="class", autouse=True)
    def without_merge(self, project: TestProjInfo) -> None:
        Path(project.project_root, "models", "bad_merge_not_delta.sql").unlink()


AS_HERE: Mapping[str, type] = {
    **dict.fromkeys(
        (
            "TestSparkIncrementalConstraintsColumnsEqualDatabricksHTTP",
            "TestSparkIncrementalConstraintsColumnsEqualPyodbc",
            "TestSparkTableConstraintsColumnsEqualDatabricksHTTP",
            "TestSparkTableConstraintsColumnsEqualPyodbc",
            "TestSparkViewConstraintsColumnsEqualDatabricksHTTP",
            "TestSparkViewConstraintsColumnsEqualPyodbc",
        ),
        SparksTypes,
    ),
    **dict.fromkeys(
        (
            "TestSparkIncrementalConstraintsDdlEnforcement",
            "TestSparkModelConstraintsRuntimeEnforcement",
            "TestSparkTableConstraintsDdlEnforcement",
        ),
        StagedInDelta,
    ),
    "TestBadStrategies": WithoutMerge,
    "TestInvalidGrantsSpark": RefusedGrants,
    "TestSparkConstraintQuotedColumn": QuotedColumnInDelta,
    "TestSparkIncrementalConstraintsRollback": OurErrors,
    "TestSparkTableConstraintsRollback": KeptOldRows,
    "TestUniqueKeySpark": DatesAsTexts,
}
"""Fixtures that come before a class's own, by its name."""

NOT_HERE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "TestIncrementalGrantsSpark",
            "TestModelGrantsSpark",
            "TestSeedGrantsSpark",
            "TestSnapshotGrantsSpark",
        ),
        GRANTS,
    ),
    "TestQueryTimeout": TIMEOUT,
}
"""Why a class can't apply."""
