"""The environment context of a call: its precondition, and no counting of files by the server."""

from dbt.adapters.ctas_spark.staging.metastore.client import Expectation

EXPECTED_KEY = "expected_parameter_key"
EXPECTED_VALUE = "expected_parameter_value"
NO_STATISTICS = {"DO_NOT_UPDATE_STATS": "true"}


def environment(expected: Expectation | None = None) -> dict[str, str]:
    """The properties of a call that changes an entry (HIVE-26882 for the expectation)."""
    if expected is None:
        return dict(NO_STATISTICS)
    return {**NO_STATISTICS, EXPECTED_KEY: expected.key, EXPECTED_VALUE: expected.value}
