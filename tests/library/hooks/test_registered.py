"""Which hooks a run has."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctas_spark.hooks import registered
from ctas_spark.hooks.json_lines import JsonLines
from fakes.hooks import Noting


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs a package that registers these hooks."""

    def registering(**values: str) -> None:
        package = tmp_path / "hooks_of_shop-1.0.dist-info"
        package.mkdir()
        (package / "METADATA").write_text("Name: hooks-of-shop\nVersion: 1.0\n")
        lines = "".join(f"{name} = {value}\n" for name, value in values.items())
        (package / "entry_points.txt").write_text(f"[{registered.GROUP}]\n{lines}")
        monkeypatch.syspath_prepend(tmp_path)

    return registering


def test_a_profile_names_shipped_hooks_and_those_of_modules() -> None:
    """With options, and one of them twice; reports tell the two apart."""
    found = registered.registered(
        [
            {"hook": "json_lines", "path": "a"},
            {"hook": "json_lines", "path": "b"},
            "fakes.hooks:Noting",
            {"hook": "fakes.hooks:noting", "team": "data"},
        ]
    )
    assert (found.problems, found.skipped) == ([], [])
    kinds = {name: type(hook) for name, hook in found.hooks.items()}
    assert kinds == {
        "json_lines": JsonLines,
        "json_lines (2)": JsonLines,
        "fakes.hooks:Noting": Noting,
        "fakes.hooks:noting": Noting,
    }


def test_a_package_registers_a_hook_without_a_profile(install: Callable[..., None]) -> None:
    """One that the profile names with options is made once, with these."""
    install(pager="fakes.hooks:noting", other="fakes.hooks:Noting")
    found = registered.registered([{"hook": "pager", "error": ValueError("told")}])
    assert set(found.hooks) == {"pager", "other"}
    pager: Any = found.hooks["pager"]
    assert str(pager.error) == "told"


def test_a_broken_package_stops_nothing(install: Callable[..., None]) -> None:
    """Its hook is left out, with a line that says why."""
    install(pager="no_such_module:Pager", other="fakes.hooks:Noting")
    found = registered.registered([])
    assert set(found.hooks) == {"other"}
    (line,) = found.skipped
    assert line == (
        "hook pager of an installed package is left out: ModuleNotFoundError: No module named "
        "'no_such_module'"
    )


def test_every_hook_that_a_profile_names_wrongly_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All at once, each with the reason."""
    monkeypatch.setitem(sys.modules, "openlineage.client", None)
    found = registered.registered(
        [
            "pagr",
            "fakes.hooks:no_such_name",
            "fakes.hooks:NOT_A_FACTORY",
            "json_lines",
            {"hook": "json_lines", "pth": "a"},
            "openlineage",
        ]
    )
    assert found.hooks == {}
    said = (
        "pagr: there is no such hook; use one of json_lines, openlineage, or module:attribute",
        "fakes.hooks:no_such_name: AttributeError: module 'fakes.hooks' has no attribute",
        "NOT_A_FACTORY: TypeError: fakes.hooks:NOT_A_FACTORY is neither a class nor a function",
        "json_lines: give path or url",
        "json_lines: unknown pth; it takes path, url",
        "openlineage: its client is not installed: pip install 'dbt-ctas-spark[openlineage]'",
    )
    for problem, wanted in zip(found.problems, said, strict=True):
        assert problem.startswith("hooks: ")
        assert wanted in problem
