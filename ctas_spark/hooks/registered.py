"""Which hooks a run has: those that a profile names, and those of installed packages."""

import importlib.metadata
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

GROUP = "dbt_ctas_spark.hooks"
"""The group of entry points by which a package registers a hook: it needs no profile."""
NAME = "hook"
"""The key of a hook's name in a profile, beside which its options are."""
SMALL = re.compile(r"[\d.]{1,5}")
SHIPPED = {
    "json_lines": f"{__package__}.json_lines:JsonLines",
    "openlineage": f"{__package__}.openlineage:OpenLineage",
}


@dataclass(slots=True)
class Registered:
    """The hooks by the names that reports use, and what kept others out.

    ``problems`` are of hooks that the profile names, ``skipped`` of those that it does not.
    """

    hooks: dict[str, object] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def misnamed(given: object) -> Iterator[str]:
    """What is wrong with the shape of a profile's ``hooks``; nothing is imported."""
    if not isinstance(given, list):
        yield f"hooks: must be a list of names, or of mappings with {NAME} and options"
        return
    for one in given:
        name = one.get(NAME) if isinstance(one, Mapping) else one
        if not isinstance(name, str) or not name:
            yield f"hooks: each must be a name, or a mapping with {NAME} and options"


def names(given: Sequence[str | Mapping[str, Any]]) -> list[str]:
    """The hooks' names, which may be shown: options may be secrets."""
    return [_read(one)[0] for one in given]


def secrets(given: Sequence[str | Mapping[str, Any]]) -> dict[str, str]:
    """Every option: no name of one says that it is none. A switch or a small number is left out."""
    return {
        f"hooks.{number}.{place}": text
        for number, (_, options) in enumerate(map(_read, given))
        for place, text in _texts(options, "")
        if text.lower() not in ("true", "false", "none") and not SMALL.fullmatch(text)
    }


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    """What an option holds, each text by itself."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts(one, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from _texts(one, f"{place}.{number}")
    else:
        yield place, str(value)


def registered(given: Sequence[str | Mapping[str, Any]]) -> Registered:
    """Make the hooks of a profile, then those of packages that it does not name."""
    found, installed = Registered(), {one.name: one for one in _entry_points()}
    named = [_read(one) for one in given]
    for name, options in named:
        made, wrong = _made(name, options, installed)
        if wrong:
            found.problems.append(f"hooks: {name}: {wrong}")
        else:
            found.hooks[_unused(name, found.hooks)] = made
    for name in sorted(installed.keys() - {name for name, _ in named}):
        made, wrong = _made(name, {}, installed)
        if wrong:
            found.skipped.append(f"hook {name} of an installed package is left out: {wrong}")
        else:
            found.hooks[name] = made
    return found


def _made(
    name: str, options: Mapping[str, Any], installed: Mapping[str, importlib.metadata.EntryPoint]
) -> tuple[object, str]:
    """The hook, or why there is none."""
    try:
        make = _loaded(name, installed)
        wrong = _unknown(options, make)
        return (None, wrong) if wrong else (make(**options), "")
    except Exception as error:  # noqa: BLE001 (a hook is foreign code)
        return None, _said(error)


def _unknown(options: Mapping[str, Any], make: Callable[..., object]) -> str:
    """Which options what makes a hook does not take; empty if it takes all."""
    try:
        takes = inspect.signature(make).parameters.values()
    except ValueError:  # it tells nobody
        return ""
    if any(one.kind is one.VAR_KEYWORD for one in takes):
        return ""
    known = [one.name for one in takes if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    unknown = [one for one in options if one not in known]
    if not unknown:
        return ""
    return f"unknown {', '.join(unknown)}; it takes {', '.join(known) or 'no options'}"


def _entry_points() -> Sequence[importlib.metadata.EntryPoint]:
    return tuple(importlib.metadata.entry_points(group=GROUP))


def _read(given: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if isinstance(given, str):
        return given, {}
    return str(given[NAME]), {key: value for key, value in given.items() if key != NAME}


def _loaded(
    name: str, installed: Mapping[str, importlib.metadata.EntryPoint]
) -> Callable[..., object]:
    """The class or function that makes the hook of that name."""
    if name in installed:
        loaded = installed[name].load()
    elif name in SHIPPED or ":" in name:
        loaded = importlib.metadata.EntryPoint(name, SHIPPED.get(name, name), GROUP).load()
    else:
        names = ", ".join((*SHIPPED, *installed))
        raise LookupError(f"there is no such hook; use one of {names}, or module:attribute")
    if not callable(loaded):
        raise TypeError(f"{name} is neither a class nor a function")
    made: Callable[..., object] = loaded
    return made


def _unused(name: str, hooks: Mapping[str, object]) -> str:
    number = 1 + sum(one == name or one.startswith(f"{name} (") for one in hooks)
    return name if number == 1 else f"{name} ({number})"


def _said(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("openlineage"):
        return "its client is not installed: pip install 'dbt-ctas-spark[openlineage]'"
    plain = isinstance(error, (LookupError, ValueError)) and bool(str(error))
    return str(error.args[0]) if plain else f"{type(error).__name__}: {error}"
