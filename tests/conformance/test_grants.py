"""Spark has no GRANT, and the user is told so before anything runs."""

from collections.abc import Iterator

import pytest
from dbt.tests.adapter.grants.test_invalid_grants import BaseInvalidGrants

REFUSED = "[NOT_SUPPORTED] grants are configured"


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
        return REFUSED
