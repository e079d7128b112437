"""Copies of a seed by each materialization."""

from typing import Any

import pytest
from dbt.tests.adapter.simple_copy.test_copy_uppercase import BaseSimpleCopyUppercase
from dbt.tests.adapter.simple_copy.test_simple_copy import SimpleCopyBase

from conformance.suite import inherit


class TestSimpleCopyUppercase(BaseSimpleCopyUppercase):
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, Any]) -> dict[str, Any]:
        return dbt_profile_target


class TestSimpleCopy(SimpleCopyBase):
    """Counted as not applicable, for its other test."""

    @pytest.mark.skip(reason="a Spark session has no materialized views: only pipelines have")
    def test_simple_copy_with_materialized_views(self, project: Any) -> None:
        """Spark has no materialized views."""


inherit(globals(), "simple_copy")
