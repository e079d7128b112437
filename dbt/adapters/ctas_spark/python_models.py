"""A Python model: its code runs in this process, and what it returns is staged like a query."""

import importlib.metadata
import linecache
import sys
import traceback
from collections.abc import Mapping
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from pyspark.errors import PySparkException

from ctas_spark.errors import NotSupportedError, PythonModelError
from dbt.adapters.ctas_spark import dbt_edge

NO_JOB = "no job was started"
SAMPLES: Mapping[str, object] = {"b": False, "i": 0, "u": 0, "f": 0.0, "M": 0, "m": 0}
"""A value of each of NumPy's kinds of types; of any other, a text."""
RETURNS = "return a DataFrame of Spark, pandas, pandas on Spark or polars, or a table of pyarrow"


def check(config: Mapping[str, Any], session: Any) -> None:
    """Return if the model can run here.

    Raises:
        NotSupportedError: the connection has no DataFrames.
        PythonModelError: a package that the model names is missing, or of another version.
    """
    if not hasattr(session, "createDataFrame"):
        raise NotSupportedError(
            "Python models need DataFrames, which a Thrift server does not have",
            left=NO_JOB,
            remedy="use method: session or connect, or write the model in SQL",
        )
    named = config.get("packages") or ()
    if missing := [text for one in named if (text := _missing(str(one)))]:
        raise PythonModelError(
            f"packages of the model are not in dbt's environment: {'; '.join(missing)}",
            left=NO_JOB,
            remedy="install them next to dbt: the model runs in dbt's own process",
        )


def run(code: str, path: str, session: Any) -> Any:
    """Call the model; return a Spark DataFrame, which is not computed yet.

    ``code`` is what dbt has compiled: the user's file, whose name is ``path``, and dbt's own
    functions after it.

    Raises:
        PythonModelError: the model raised an error, or returned something else.
    """
    # the lines of a traceback, as the user has written them
    linecache.cache[path] = len(code), None, code.splitlines(keepends=True), path
    space: dict[str, Any] = {"__name__": "dbt_model", "spark": session}
    try:
        exec(compile(code, path, "exec"), space)  # noqa: S102 (the user's own model)
        returned = space["model"](space["dbtObj"](session.table), session)
        return _frame(returned, session)
    except PythonModelError:
        raise
    except (Exception, SystemExit) as error:  # dbt would wait for the model's thread for ever
        raise PythonModelError(_described(error, path)) from error


def _missing(requirement: str) -> str:
    """What is wrong with a package that a model names; nothing if it is there."""
    try:
        wanted = Requirement(requirement)
        found = importlib.metadata.version(wanted.name)
    except InvalidRequirement:
        return f"{requirement} is not a requirement such as pandas>=2"
    except importlib.metadata.PackageNotFoundError:
        return requirement
    return "" if wanted.specifier.contains(found, prereleases=True) else f"{requirement} ({found})"


def _frame(returned: Any, session: Any) -> Any:
    """What a model returned, as a DataFrame of Spark; a package that is not loaded made none."""
    if _is_a(returned, "pyspark.pandas", "DataFrame"):
        return returned.to_spark()
    if _is_a(returned, "polars", "LazyFrame"):
        returned = returned.collect()
    if _is_a(returned, "polars", "DataFrame"):
        returned = returned.to_arrow()
    if _is_a(returned, "pandas", "DataFrame") and returned.empty and len(returned.columns):
        return session.createDataFrame(_one_row_like(returned)).where("false")
    if _is_a(returned, "pandas", "DataFrame") or _is_a(returned, "pyarrow", "Table"):
        return session.createDataFrame(returned)
    if hasattr(returned, "createOrReplaceTempView"):
        return returned
    kind = f"{type(returned).__module__}.{type(returned).__qualname__}"
    raise PythonModelError(f"the model returned {kind}", remedy=RETURNS)


def _one_row_like(frame: Any) -> Any:
    """A frame of pandas with the same columns: Spark finds their types by what is in them.

    A column of objects is taken for one of texts.
    """
    pandas: Any = sys.modules["pandas"]
    columns = [pandas.Series([SAMPLES.get(one.kind, "")], dtype=one) for one in frame.dtypes]
    made = pandas.concat(columns, axis=1)
    made.columns = frame.columns
    return made


def _is_a(value: Any, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(value, kind)


def _described(error: BaseException, path: str) -> str:
    """The error's kind and text, and the lines of the user's own file that led to it."""
    what = dbt_edge.message(error) if isinstance(error, PySparkException) else str(error)
    kind = type(error).__name__
    said = f"the model failed: {kind}: {what}" if what else f"the model failed: {kind}"
    if isinstance(error, SyntaxError):
        return f"{said}\n  at: line {error.lineno} of {path}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if one.filename == path]
    lines = [f"\n  at: line {one.lineno} of {path}, in {one.name}: {one.line}" for one in own]
    return "".join([said, *lines])
