"""The classes of dbt's own suite for adapters, dbt-tests-adapter, and which of them run here."""

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from dbt.tests.adapter.basic import test_base

PACKAGE = "dbt.tests.adapter"
HERE = Path(__file__).parent
PASSING = HERE / "passing.txt"


@cache
def classes() -> dict[str, type]:
    """Every class that has tests, by its name without the package's."""
    root = Path(str(test_base.__file__)).parents[1]
    files = (path for path in root.rglob("*.py") if path.name != "__init__.py")
    modules = sorted(".".join(path.relative_to(root).with_suffix("").parts) for path in files)
    return dict(found for module in modules for found in _classes_of(module))


def passing() -> list[str]:
    """The names of those that pass as they are, one a line."""
    return PASSING.read_text().split()


def group(name: str) -> str:
    """The suite's own division of its classes: the directory of the first part."""
    return name.partition(".")[0]


def only_renames(name: str) -> bool:
    """True for a ``TestX(BaseX)`` without a line of its own, of which the base runs."""
    own = {key for key in vars(classes()[name]) if not key.startswith("__")}
    bases = classes()[name].__bases__
    return not own and len(bases) == 1 and bases[0] in classes().values()


def _classes_of(module: str) -> Iterator[tuple[str, type]]:
    name = f"{PACKAGE}.{module}"
    for key, one in sorted(vars(importlib.import_module(name)).items()):
        is_own = inspect.isclass(one) and one.__module__ == name
        if is_own and any(method.startswith("test") for method in dir(one)):
            yield f"{module}.{key}", one
