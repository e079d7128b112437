"""Functions in SQL, whose volatility Spark calls DETERMINISTIC or NOT DETERMINISTIC."""

from dbt.tests.adapter.functions.test_udfs import (
    DeterministicUDF,
    NonDeterministicUDF,
    SqlUDFDefaultArgSupport,
    StableUDF,
)

from conformance.suite import inherit


class TestDeterministicUDF(DeterministicUDF):
    def check_function_volatility(self, sql: str) -> None:
        assert "DETERMINISTIC" in sql
        assert "NOT DETERMINISTIC" not in sql


class TestNonDeterministicUDF(NonDeterministicUDF):
    def check_function_volatility(self, sql: str) -> None:
        assert "NOT DETERMINISTIC" in sql


class TestStableUDF(StableUDF):
    def check_function_volatility(self, sql: str) -> None:
        assert "DETERMINISTIC" not in sql
        assert "STABLE" not in sql


class TestSqlUDFDefaultArgSupport(SqlUDFDefaultArgSupport):
    expect_default_arg_support = True


inherit(globals(), "functions")
