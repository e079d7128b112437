"""The core's errors as dbt's: name first, secrets hidden."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ctas_spark.dbt_edge import add_to, as_dbt_errors
from dbt.adapters.ctas_spark.staging.errors import ConcurrentWriteError


class Adapter:
    def hide_secrets(self, text: str) -> str:
        return text.replace("hunter2", "***")

    @as_dbt_errors
    def fails(self) -> None:
        raise ConcurrentWriteError("another wrote hunter2", table="s.t")


def failed() -> DbtRuntimeError:
    """What dbt gets."""
    with pytest.raises(DbtRuntimeError) as caught:
        Adapter().fails()
    return caught.value


def test_dbt_shows_the_name_first() -> None:
    """The text that dbt prints and writes into run_results.json begins with the error's name."""
    assert failed().msg == "[CONCURRENT_WRITE] another wrote ***\n  table: s.t"


def test_what_is_added_follows_the_name() -> None:
    """The outcome of the model comes after the error's own words, for dbt's errors and ours."""
    error = failed()
    add_to(error, "outcome: not_committed")
    assert (
        error.msg == "[CONCURRENT_WRITE] another wrote ***\n  table: s.t\n  outcome: not_committed"
    )
    own = ConcurrentWriteError("no")
    add_to(own, "outcome: unknown")
    assert str(own) == "[CONCURRENT_WRITE] no\n  outcome: unknown"
