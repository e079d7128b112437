"""The protocol's invariants hold whatever runs, users, clocks and faults do, in any order."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from model.machine import Lives


@pytest.mark.timeout(0)
def test_any_life_of_a_table_keeps_the_invariants(model_settings: settings) -> None:
    """One whole version is shown, what is shown is never deleted, and nothing stays for ever."""
    run_state_machine_as_test(Lives, settings=model_settings)  # type: ignore[no-untyped-call, unused-ignore]
