"""Python models without a Spark."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ctas_spark.errors import NotSupportedError, PythonModelError
from dbt.adapters.ctas_spark import python_models

CODE = """
def model(dbt, session):
    return RETURNED


class dbtObj:
    def __init__(self, load):
        self.ref = load
"""


class Frame:
    """A DataFrame of some package."""

    def createOrReplaceTempView(self, name: str) -> None:  # noqa: N802 (PySpark's)
        """What makes it one of Spark's."""

    def to_spark(self) -> str:
        """That of pandas on Spark."""
        return "spark's"

    def collect(self) -> "Frame":
        """That of polars."""
        return self

    def to_arrow(self) -> "Frame":
        """That of polars."""
        return self


SESSION = SimpleNamespace(table=str, createDataFrame=lambda one: ("made of", one))


def run(expression: str) -> Any:
    """What becomes of a model that returns this."""
    return python_models.run(CODE.replace("RETURNED", expression), "models/m.py", SESSION)


def loaded(patch: pytest.MonkeyPatch, name: str, **kinds: type) -> None:
    """A package that the model has imported."""
    module = ModuleType(name)
    vars(module).update(kinds)
    patch.setitem(sys.modules, name, module)


def test_frames_of_pandas_on_spark_become_sparks(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have Spark's inside."""
    loaded(monkeypatch, "pyspark.pandas", DataFrame=Frame)
    assert run("__import__('sys').modules['pyspark.pandas'].DataFrame()") == "spark's"


def test_frames_of_polars_travel_as_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lazy one is collected first."""
    loaded(monkeypatch, "polars", LazyFrame=Frame, DataFrame=Frame)
    loaded(monkeypatch, "pyarrow", Table=Frame)
    made = run("__import__('sys').modules['polars'].LazyFrame()")
    assert made[0] == "made of"


def test_code_that_is_no_python_names_its_line() -> None:
    """And so does code that raises."""
    with pytest.raises(PythonModelError, match=r"SyntaxError.*\n  at: line 3 of models/m.py"):
        run("1 +")
    with pytest.raises(PythonModelError, match=r"KeyError: 'a'\n  at: line 3 .* in model: return"):
        run("{}['a']")


def test_code_that_ends_the_process_is_an_error() -> None:
    """dbt would wait for ever for the thread that it ends."""
    with pytest.raises(PythonModelError, match="the model failed: SystemExit: 2"):
        run("__import__('sys').exit(2)")


def test_what_a_connection_or_an_environment_lacks_is_said_first() -> None:
    """Before any job."""
    with pytest.raises(NotSupportedError, match="Thrift server"):
        python_models.check({}, SimpleNamespace(sql=str))
    with pytest.raises(PythonModelError, match=r"no-such-one; pytest<1 \([0-9.]+\); a b is not"):
        python_models.check({"packages": ["no-such-one", "pytest<1", "pytest", "a b"]}, SESSION)
