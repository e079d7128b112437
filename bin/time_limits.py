"""A pytest plugin: a process that does not end after its tests is ended, with its threads' stacks.

The limit of a test is in pyproject.toml.
"""

import faulthandler

SECONDS = 120


def pytest_unconfigure() -> None:
    """Threads that Python joins at its end may wait for a server that is no longer there."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
