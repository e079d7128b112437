"""The core's errors as dbt's, translated once at the adapter's edge."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark import spark_errors
from dbt.adapters.ctas_spark.staging.errors import StagingError

P = ParamSpec("P")
R = TypeVar("R")


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
