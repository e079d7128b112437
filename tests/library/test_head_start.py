"""A Spark that starts while dbt parses: who waits for it, and how it is broken off."""

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark import java_gateway

from ctas_spark.engines.start import HeadStart, Start
from ctas_spark.errors import ServerNotReachedError
from servers.processes import wait_until


def test_its_error_comes_where_spark_is_needed() -> None:
    """To each that needs it, until the invocation ends."""
    ahead = HeadStart(Start())

    def fail() -> None:
        raise ServerNotReachedError("no master answers")

    ahead.begin(fail)
    for _ in range(2):
        with pytest.raises(ServerNotReachedError):
            ahead.wait()
    ahead.end()
    ahead.wait()


@pytest.mark.parametrize("is_launched", [True, False])
def test_what_nobody_needed_is_broken_off(tmp_path: Path, *, is_launched: bool) -> None:
    """When its invocation ends, before its JVM is launched or after that."""
    starting, jvms = Start(), list[Any]()
    ahead, began = HeadStart(starting), threading.Event()

    def work() -> None:
        with starting.under_way(tmp_path):
            if not is_launched:
                began.set()
                wait_until(lambda: starting._ended, 10.0, "the end")  # noqa: SLF001
            popen: Any = java_gateway.Popen  # type: ignore[attr-defined]
            jvms.append(popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
            began.set()
            jvms[0].wait()

    ahead.begin(work)
    began.wait()
    ahead.end()
    assert jvms[0].returncode == -signal.SIGTERM
