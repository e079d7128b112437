"""The adapter's components, and what the macros call of them."""

import re
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, get_type_hints

import pytest
from dbt.adapters.spark.impl import SparkAdapter

from ctas_spark.errors import NotSupportedError
from dbt.adapters.ctas_spark import components
from dbt.adapters.ctas_spark.components import Components
from dbt.adapters.ctas_spark.for_macros import ForMacros
from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
from dbt.adapters.ctas_spark.node_state import NodeState
from dbt.adapters.ctas_spark.refusals import Refusals
from dbt.include import ctas_spark

MOST_METHODS = 25
MACROS = Path(ctas_spark.PACKAGE_PATH, "macros")
CALL = re.compile(r"\badapter\.(\w+)\.(\w+)\(")


def called() -> set[tuple[str, str]]:
    """Components and their methods, as the macros name them."""
    return {call for path in MACROS.rglob("*.sql") for call in CALL.findall(path.read_text())}


def test_the_adapter_is_dbt_sparks_with_components() -> None:
    """There is no tower of classes between the two, and no class does everything."""
    assert CtasSparkAdapter.__mro__[1:3] == (ForMacros, SparkAdapter)
    for one in (CtasSparkAdapter, ForMacros, *get_type_hints(Components).values()):
        members = [getattr(of, "__func__", of) for of in vars(one).values()]
        functions = [of for of in members if isinstance(of, FunctionType)]
        own = [of for of in functions if of.__qualname__.startswith(f"{one.__name__}.")]
        assert len(own) <= MOST_METHODS, one


def test_macros_call_what_there_is() -> None:
    """Jinja finds a wrong name only when a model needs it."""
    hints = get_type_hints(Components, vars(components))
    assert len(called()) > 40
    for component, method in sorted(called()):
        assert component in CtasSparkAdapter._available_, component
        assert callable(getattr(hints[component], method, None)), method


def test_a_component_is_made_without_dbt() -> None:
    """By what it needs of an invocation."""
    node = SimpleNamespace(database=None, schema="shop", alias="orders")
    invocation: Any = SimpleNamespace(node=NodeState(node))
    with pytest.raises(NotSupportedError, match="materialized view"):
        Refusals(invocation).materialized_view()
