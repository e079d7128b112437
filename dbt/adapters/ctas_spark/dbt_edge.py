"""What leaves the core for dbt: its errors and its log, each translated in this one place."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark import spark_errors
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.events.logging import AdapterLogger

P = ParamSpec("P")
R = TypeVar("R")
PACKAGE = "dbt.adapters.ctas_spark"


def as_dbt_errors(method: Callable[P, R]) -> Callable[P, R]:
    """Raise dbt's errors, with the same text less secrets, for the core's and for Spark's."""

    @wraps(method)
    def translated(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except StagingError as error:
            adapter: Any = args[0]
            raise as_dbt_error(error, adapter.hide_secrets) from error
        except (Py4JError, PySparkException) as error:
            adapter = args[0]
            raise DbtDatabaseError(adapter.hide_secrets(spark_errors.message(error))) from error

    return translated


def as_dbt_error(error: StagingError, hide: Callable[[str], str] = str) -> DbtRuntimeError:
    """The error as dbt prints it and writes it into run_results.json: its name comes first."""
    return DbtRuntimeError(hide(str(error)))


def add_to(error: BaseException, text: str) -> None:
    """Say more in an error that is on its way to the user."""
    if isinstance(error, DbtRuntimeError):
        error.msg = f"{error.msg}\n  {text}"
    elif isinstance(error, StagingError):
        error.what = f"{error.what}\n  {text}"


class _DbtHandler(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self._dbt = AdapterLogger("CtasSpark")

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if record.levelno >= logging.WARNING:
            self._dbt.warning(text)
        else:
            self._dbt.debug(text)


def log_to_dbt() -> None:
    """Send the package's log to dbt; once for a process."""
    logger = logging.getLogger(PACKAGE)
    if not any(isinstance(handler, _DbtHandler) for handler in logger.handlers):
        logger.addHandler(_DbtHandler())
        logger.setLevel(logging.INFO)
        logger.propagate = False
