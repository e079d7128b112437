"""Fixtures in this adapter's words, for classes of both suites: types, statements and errors."""

from collections.abc import Iterator

import pytest

REFUSED = "[NOT_SUPPORTED] grants are configured"


class SparksTypes:
    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [
            ["1", "int", "int"],
            ["'1'", "string", "string"],
            ["true", "boolean", "boolean"],
            ["timestamp '2013-11-03 00:00:00-07'", "timestamp", "timestamp"],
            ["date '2013-11-03'", "date", "date"],
            ["array('a','b','c')", "array<string>", "array<string>"],
            ["array(1,2,3)", "array<int>", "array<int>"],
            ["cast('1' as decimal(10,2))", "decimal(10,2)", "decimal(10,2)"],
            ["named_struct('bar','baz')", "struct<bar:string>", "struct<bar:string>"],
        ]


class StagedSql:
    """The constraints are not in the statement: a scan of its version checks them."""

    ctas = """
create table <model_identifier> using `parquet` location <model_identifier>
tblproperties ('ctas_spark_record' = <model_identifier> as
"""
    query = """
select id, color, date_day from (
    -- depends_on: <foreign_key_model_identifier>
    select 'blue' as color, 1 as id, '2019-01-01' as date_day
) as model_subq
"""

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return self.ctas + self.query


class StagedWithQuotedColumn(StagedSql):
    query = """
select id, `from`, date_day from (
    select 'blue' as `from`, 1 as id, '2019-01-01' as date_day
) as model_subq
"""


class OurErrors:
    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return ["rows of this version break the contract", "not_null id (1 row)"]


class RefusedGrants:
    """Spark has no GRANT, and the user is told so before anything runs."""

    @pytest.fixture(scope="class", autouse=True)
    def users(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for number in "123":
                patch.setenv(f"DBT_TEST_USER_{number}", f"user_{number}")
            yield

    def grantee_does_not_exist_error(self) -> str:
        return REFUSED

    def privilege_does_not_exist_error(self) -> str:
        return REFUSED
