"""What a user who configures grants is told."""

from dbt.tests.adapter.grants.test_invalid_grants import BaseInvalidGrants

from conformance.fixtures import RefusedGrants


class TestInvalidGrants(RefusedGrants, BaseInvalidGrants):
    pass
