"""Which module of the core may import which."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ctas_spark as core

CORE = Path(str(core.__file__)).parent
FEW_NEED = {
    "archiving": "ctas_spark.archiving",
    "archiving.making": "ctas_spark.archiving",
    "warm": "ctas_spark.warm",
    "hooks.json_lines": "ctas_spark.hooks.json_lines",
    "hooks.openlineage": "ctas_spark.hooks.openlineage",
    "hooks.openlineage_events": "ctas_spark.hooks.openlineage",
}
"""What most runs do without; each with those that may import it."""
KINDS = ("files", "iceberg", "delta", "statement", "database")
OF_DELTA = {f"ctas_spark.files.{name}" for name in ("record", "table", "catalog")}
"""Delta's records lie next to those of files, and its first version is one of files."""
OF_ICEBERG = {
    f"ctas_spark.iceberg.{name}" for name in ("branches", "facts", "refusals", "rows_only")
}
"""What a branch of an Iceberg table is, whoever publishes it."""
OF_DATABASES = {f"ctas_spark.statement.{name}" for name in ("by_copy", "tables")}
"""A CTAS in SQL alone, and what asks for tables in SQL alone."""
OF_EVERYTHING = ("context", "errors", "steps", "clock", "quoting", "redaction", "wire")
WORDS = "words"
OF_FORMATS = OF_ICEBERG | {"ctas_spark.iceberg", "ctas_spark.delta.facts"}
BUILDS_ON = {
    "delta": OF_DELTA | {"ctas_spark.files"},
    "statement": OF_FORMATS,
    "database": OF_DATABASES | {"ctas_spark.statement"},
}


def imported(path: Path) -> set[str]:
    """The modules of the package that a module imports, under their names in it."""
    package = ("ctas_spark", *path.relative_to(CORE).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package[: len(package) + 1 - node.level]
            module = ".".join([*above, *filter(None, [node.module])])
            found |= {module, *(f"{module}.{name.name}" for name in node.names)}
    return found


def module_of(path: Path) -> str:
    """A module by its name in the package."""
    parts = path.relative_to(CORE).with_suffix("").parts
    return ".".join(("ctas_spark", *(one for one in parts if one != "__init__")))


def package_of(module: str) -> str:
    """The package of a module; the modules that everything uses are one."""
    parts = module.split(".")
    if parts == ["ctas_spark"]:
        return "ctas_spark"
    return WORDS if parts[1] in OF_EVERYTHING else parts[1]


def absolute(path: Path) -> set[str]:
    """The packages of others that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).split(".")[0])
    return found


def of_kinds(path: Path) -> set[str]:
    """What a module imports of the kinds."""
    heads = tuple(f"ctas_spark.{kind}" for kind in KINDS)
    return {one for one in imported(path) if one.startswith(heads)}


@pytest.mark.parametrize(
    "package", ["publish", "retention", "hooks", "metastore", "storage", "engines"]
)
def test_what_all_kinds_share_imports_none_of_them(package: str) -> None:
    """The machine, the clean-up and the clients know no kind of table."""
    assert {path.name: of_kinds(path) for path in (CORE / package).rglob("*.py")} == {
        path.name: set() for path in (CORE / package).rglob("*.py")
    }


def test_packages_import_each_other_one_way() -> None:
    """There is an order in which they can be read, from the types that everything uses upward."""
    arrows: dict[str, set[str]] = {}
    for path in CORE.rglob("*.py"):
        package = package_of(module_of(path))
        arrows.setdefault(package, set()).update(map(package_of, imported(path)))
    graph = {package: found - {package, "ctas_spark"} for package, found in arrows.items()}
    order = [*TopologicalSorter(graph).static_order()]
    assert graph[WORDS] == set()
    assert order.index("retention") < order.index("publish") < order.index("files")
    assert order.index("files") < order.index("catalogs") < order.index("dataframe")


def test_no_modules_need_each_other() -> None:
    """Each can be read without those that are made of it."""
    modules = {module_of(path): imported(path) for path in CORE.rglob("*.py")}
    graph = {one: (found & modules.keys()) - {one} for one, found in modules.items()}
    assert graph.keys() == {*TopologicalSorter(graph).static_order()}


def test_the_machine_knows_of_an_engine_only_what_it_needs_of_it() -> None:
    """What a lock of this process is, among the runs of a warm Spark, it is told."""
    found = {one for path in (CORE / "publish").glob("*.py") for one in imported(path)}
    assert {
        ".".join(one.split(".")[:3]) for one in found if one.startswith("ctas_spark.engines")
    } == {"ctas_spark.engines.protocol"}


@pytest.mark.parametrize("name", FEW_NEED)
def test_what_few_need_is_imported_by_nothing(name: str) -> None:
    """It registers itself where the core asks for it, or is loaded by its name."""
    module = f"ctas_spark.{name}"
    importing = {module_of(path) for path in CORE.rglob("*.py") if module in imported(path)}
    assert {one for one in importing if not one.startswith(FEW_NEED[name])} == set()


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_imports_no_other(kind: str) -> None:
    """But a Delta table's first version is one of files, and SQL knows formats' histories."""
    others = tuple(f"ctas_spark.{other}" for other in KINDS if other != kind)
    for path in (CORE / kind).rglob("*.py"):
        found = {one for one in imported(path) if one.startswith(others)}
        allowed = BUILDS_ON.get(kind, set())
        modules = [known for known in allowed if known.count(".") > 1]
        foreign = {one for one in found if not any(one.startswith(known) for known in modules)}
        assert foreign - allowed == set(), path.name


def test_the_core_imports_nothing_above_it() -> None:
    """The library stands without the adapter, and without dbt."""
    for path in CORE.rglob("*.py"):
        above = {one for one in imported(path) if not one.startswith("ctas_spark")}
        assert above == set(), path.name
        assert "dbt" not in absolute(path), path.name
