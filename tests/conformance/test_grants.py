"""Spark refuses to grant, and the user is told so."""

from collections.abc import Iterator

import pytest
from dbt.tests.adapter.grants.test_invalid_grants import BaseInvalidGrants

REFUSED = "[INVALID_STATEMENT_OR_CLAUSE] The statement or clause: "


class TestInvalidGrants(BaseInvalidGrants):
    @pytest.fixture(scope="class", autouse=True)
    def users(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for number in "123":
                patch.setenv(f"DBT_TEST_USER_{number}", f"user_{number}")
            yield

    def grantee_does_not_exist_error(self) -> str:
        return REFUSED

    def privilege_does_not_exist_error(self) -> str:
        """Of a table that is there, dbt asks first what is granted: SHOW GRANTS is no syntax."""
        return "PARSE_SYNTAX_ERROR"
