"""Contracts and constraints: the statements and errors are this adapter's."""

import pytest
from dbt.tests.adapter.constraints import fixtures
from dbt.tests.adapter.constraints.test_constraints import (
    BaseConstraintQuotedColumn,
    BaseConstraintsRollback,
    BaseConstraintsRuntimeDdlEnforcement,
    BaseIncrementalConstraintsColumnsEqual,
    BaseIncrementalConstraintsRollback,
    BaseIncrementalConstraintsRuntimeDdlEnforcement,
    BaseModelConstraintsRuntimeEnforcement,
    BaseTableConstraintsColumnsEqual,
    BaseViewConstraintsColumnsEqual,
)

from conformance.suite import inherit


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


class TestTableConstraintsColumnsEqual(SparksTypes, BaseTableConstraintsColumnsEqual):
    pass


class TestViewConstraintsColumnsEqual(SparksTypes, BaseViewConstraintsColumnsEqual):
    pass


class TestIncrementalConstraintsColumnsEqual(SparksTypes, BaseIncrementalConstraintsColumnsEqual):
    pass


class StagedSql:
    """The constraints are not in the statement: a scan of its version checks them."""

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return """
create table <model_identifier> using `parquet` location <model_identifier>
tblproperties ('ctas_spark_record' = <model_identifier> as
select id, color, date_day from (
    -- depends_on: <foreign_key_model_identifier>
    select 'blue' as color, 1 as id, '2019-01-01' as date_day
) as model_subq
"""


class TestConstraintsRuntimeDdlEnforcement(StagedSql, BaseConstraintsRuntimeDdlEnforcement):
    pass


class TestIncrementalConstraintsRuntimeDdlEnforcement(
    StagedSql, BaseIncrementalConstraintsRuntimeDdlEnforcement
):
    pass


class TestModelConstraintsRuntimeEnforcement(StagedSql, BaseModelConstraintsRuntimeEnforcement):
    pass


class TestConstraintQuotedColumn(BaseConstraintQuotedColumn):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "my_model.sql": fixtures.my_model_with_quoted_column_name_sql,
            "constraints_schema.yml": fixtures.model_quoted_column_schema_yml.replace(
                '"from"', "`from`"
            ),
        }

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return """
create table <model_identifier> using `parquet` location <model_identifier>
tblproperties ('ctas_spark_record' = <model_identifier> as
select id, `from`, date_day from (
    select 'blue' as `from`, 1 as id, '2019-01-01' as date_day
) as model_subq
"""


class OurErrors:
    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return ["rows of this version break the contract", "not_null id (1 rows)"]


class TestConstraintsRollback(OurErrors, BaseConstraintsRollback):
    pass


class TestIncrementalConstraintsRollback(OurErrors, BaseIncrementalConstraintsRollback):
    pass


inherit(globals(), "constraints")
