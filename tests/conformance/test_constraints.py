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

from conformance.fixtures import OurErrors, SparksTypes, StagedSql, StagedWithQuotedColumn
from conformance.suite import inherit


class TestTableConstraintsColumnsEqual(SparksTypes, BaseTableConstraintsColumnsEqual):
    pass


class TestViewConstraintsColumnsEqual(SparksTypes, BaseViewConstraintsColumnsEqual):
    pass


class TestIncrementalConstraintsColumnsEqual(SparksTypes, BaseIncrementalConstraintsColumnsEqual):
    pass


class TestConstraintsRuntimeDdlEnforcement(StagedSql, BaseConstraintsRuntimeDdlEnforcement):
    pass


class TestIncrementalConstraintsRuntimeDdlEnforcement(
    StagedSql, BaseIncrementalConstraintsRuntimeDdlEnforcement
):
    pass


class TestModelConstraintsRuntimeEnforcement(StagedSql, BaseModelConstraintsRuntimeEnforcement):
    pass


class TestConstraintQuotedColumn(StagedWithQuotedColumn, BaseConstraintQuotedColumn):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "my_model.sql": fixtures.my_model_with_quoted_column_name_sql,
            "constraints_schema.yml": fixtures.model_quoted_column_schema_yml.replace(
                '"from"', "`from`"
            ),
        }


class TestConstraintsRollback(OurErrors, BaseConstraintsRollback):
    pass


class TestIncrementalConstraintsRollback(OurErrors, BaseIncrementalConstraintsRollback):
    pass


inherit(globals(), "constraints")
