"""dbt's cross-database macros."""

import pytest
from dbt.tests.adapter.utils import fixture_get_intervals_between as intervals
from dbt.tests.adapter.utils.data_types import test_type_float, test_type_int
from dbt.tests.adapter.utils.test_get_intervals_between import BaseGetIntervalsBetween
from dbt.tests.adapter.utils.test_timestamps import BaseCurrentTimestamps

from conformance.suite import inherit


def typed(column: str, kind: str) -> str:
    """A seed's column as that type: dbt's reader of CSV finds the widest type of its kind."""
    types = f"{{column_types: {{{column}: {kind}}}}}"
    return f"version: 2\nseeds:\n  - name: expected\n    config: {types}\n"


class TestTypeFloat(test_type_float.BaseTypeFloat):
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        rows = test_type_float.seeds__expected_csv
        return {"expected.csv": rows, "expected.yml": typed("float_col", "float")}


class TestTypeInt(test_type_int.BaseTypeInt):
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        rows = test_type_int.seeds__expected_csv
        return {"expected.csv": rows, "expected.yml": typed("int_col", "int")}


class TestGetIntervalsBetween(BaseGetIntervalsBetween):
    """Spark reads dates as ISO writes them."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        sql = intervals.models__test_get_intervals_between_sql
        return {
            "test_get_intervals_between.yml": intervals.models__test_get_intervals_between_yml,
            "test_get_intervals_between.sql": sql.replace("09/01/2023", "2023-09-01").replace(
                "09/12/2023", "2023-09-12"
            ),
        }


class TestCurrentTimestamps(BaseCurrentTimestamps):
    @pytest.fixture(scope="class")
    def expected_schema(self) -> dict[str, str]:
        return dict.fromkeys(
            (
                "current_timestamp",
                "current_timestamp_in_utc_backcompat",
                "current_timestamp_backcompat",
            ),
            "timestamp",
        )

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return """
select current_timestamp() as current_timestamp,
       current_timestamp() as current_timestamp_in_utc_backcompat,
       current_timestamp() as current_timestamp_backcompat
"""


inherit(globals(), "utils")
