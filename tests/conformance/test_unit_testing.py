"""dbt's unit tests, with Spark's types."""

import pytest
from dbt.tests.adapter.unit_testing.test_types import BaseUnitTestingTypes

from conformance.suite import inherit


class TestUnitTestingTypes(BaseUnitTestingTypes):
    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [
            ["1", "1"],
            ["'1'", "1"],
            ["true", "true"],
            ["DATE '2020-01-02'", "2020-01-02"],
            ["TIMESTAMP '2013-11-03 00:00:00-0'", "2013-11-03 00:00:00-0"],
            ["TIMESTAMP_NTZ '2013-11-03 00:00:00'", "2013-11-03 00:00:00"],
            ["'1'::decimal(10,2)", "1"],
            [
                """'{"bar": "baz", "balance": 7.77, "active": false}'""",
                """'{"bar": "baz", "balance": 7.77, "active": false}'""",
            ],
        ]


inherit(globals(), "unit_testing")
