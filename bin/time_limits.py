"""A pytest plugin: what stands still ends its suite, with the stacks of its threads.

A test's limit is in pyproject.toml. A server that has stopped answering would cost each test after
it as much again.
"""

import faulthandler

import pytest

SECONDS_TO_END = 120
EXCEEDED = "from pytest-timeout"


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Stop after the test that exceeded its time."""
    if call.excinfo is not None and EXCEEDED in str(call.excinfo.value):
        item.session.shouldstop = f"{item.nodeid} exceeded its time"


def pytest_unconfigure() -> None:
    """Threads that Python joins at its end may wait for a server that is no longer there."""
    faulthandler.dump_traceback_later(SECONDS_TO_END, exit=True)
