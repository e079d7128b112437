"""A preview: what an invocation is asked for, what it may not do, and what it has found."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctas_spark.errors import InvalidArgumentError
from ctas_spark.options import misspelt
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.ctas_spark.text_tables import rows_text, text_of

PREVIEW, ROWS, LIMIT = "ctas_preview", "ctas_preview_rows", "ctas_preview_limit"
NAMES = (PREVIEW, ROWS, LIMIT)
FLAGS = {"true": True, "1": True, "false": False, "0": False, "": False}
NOTE, RESULTS = "ctas_preview.json", "run_results.json"
INVOCATION = "invocation_id"
MOST_TABLES = 40
MOST_CHANGES = 8
NOTHING_STARTED = "nothing was started"

Columns = Mapping[str, str]
"""Types by the columns' names."""


@dataclass(frozen=True, slots=True)
class PreviewSettings:
    """What ``--vars`` or the environment ask for; ``limit`` is a number of rows of each input."""

    enabled: bool = False
    rows: bool = False
    limit: int | None = None

    @classmethod
    def read(
        cls, variables: Mapping[str, Any], environment: Mapping[str, str] = os.environ
    ) -> "PreviewSettings":
        """A variable of ``--vars`` wins over that of the environment, which is in upper case.

        Raises:
            InvalidArgumentError: names every value that can't be followed, and names that are
                nearly ours: a typing error must not turn a preview into a build.
        """
        given = {name: environment[name.upper()] for name in NAMES if name.upper() in environment}
        given.update({name: variables[name] for name in NAMES if name in variables})
        others = (str(one) for one in variables if one not in NAMES)
        problems = [said for one in others for said in misspelt(one, NAMES)]
        problems += _wrong(given)
        if not problems and PREVIEW not in given and any(name in variables for name in NAMES):
            problems = [f"{ROWS} and {LIMIT}: only with {PREVIEW}: true"]
        if problems:
            raise InvalidArgumentError(
                f"this can't be previewed: {'; '.join(problems)}",
                left=NOTHING_STARTED,
                remedy=f"write it like dbt build --vars '{{{PREVIEW}: true, {LIMIT}: 1000}}'",
            )
        if not _flag(given.get(PREVIEW)):
            return cls()
        limit = _text(given.get(LIMIT))
        return cls(
            enabled=True, rows=bool(_flag(given.get(ROWS))), limit=int(limit) if limit else None
        )


@dataclass(slots=True)
class NodePreview:
    """What is known of one node that is previewed."""

    in_hook: bool = False
    """Whether a hook of it runs now."""
    adds: bool = False
    """Whether its rows are added to those of its table."""
    added: str | None = None
    """The view of the rows that an incremental model would write."""
    after: Columns = field(default_factory=dict)
    """The columns of the node's view."""


def note_invocation(target: Path, invocation: str) -> None:
    """Let a later ``dbt retry`` know that this invocation is a preview."""
    target.mkdir(parents=True, exist_ok=True)
    (target / NOTE).write_text(json.dumps({INVOCATION: invocation}))


def was_preview(target: Path) -> bool:
    """Whether the results in a directory, which ``dbt retry`` goes by, are those of a preview."""
    results, note = _read(target / RESULTS), _read(target / NOTE)
    variables = results.get("args", {}).get("vars") or {}
    noted = note.get(INVOCATION)
    is_noted = noted is not None and noted == results.get("metadata", {}).get(INVOCATION)
    return is_noted or bool(_flag(variables.get(PREVIEW)))


def refuse_to_build_what_was_previewed() -> InvalidArgumentError:
    """The error of a ``dbt retry`` that is no preview of a run that was one."""
    return InvalidArgumentError(
        "the run to retry was a preview, and this would publish its tables: dbt retry --vars "
        "replaces all variables of that run, and CTAS_PREVIEW holds for one command",
        left=NOTHING_STARTED,
        remedy=f"repeat {PREVIEW}: true in --vars, or run dbt build to publish",
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _wrong(given: Mapping[str, Any]) -> Iterator[str]:
    for name in (PREVIEW, ROWS):
        if _flag(given.get(name)) is None:
            yield f"{name}: {given[name]!r} is neither true nor false"
    limit = _text(given.get(LIMIT)) or "1"
    if not limit.isdecimal() or int(limit) < 1:
        yield f"{LIMIT}: {given[LIMIT]!r} is not a number of rows of at least 1"


def _text(value: object) -> str:
    """Nothing for what is not given, as for a variable of the environment that is empty."""
    return "" if value is None else str(value)


def _flag(value: object) -> bool | None:
    """None if it is neither true nor false; what is not given is false."""
    return False if value is None else FLAGS.get(str(value).lower())


@dataclass
class PreviewResponse(AdapterResponse):
    """The ``adapter_response`` of a node that was previewed."""

    preview: bool = True
    schema_changes: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Previewed:
    """A node that was previewed.

    ``before`` are the columns of the permanent table that its view shadows, None if there is none,
    and ``after`` those of the view. ``rows`` are counted on request: those of the view, or of an
    incremental model those that it would write.
    """

    node: str
    table: str
    before: Columns | None
    after: Columns
    rows: int | None = None

    @property
    def changes(self) -> list[str]:
        """How the permanent table's columns would change, ignoring case and order."""
        if self.before is None:
            return []
        old = {name.lower(): (name, kind) for name, kind in self.before.items()}
        new = {name.lower(): (name, kind) for name, kind in self.after.items()}
        added = [f"+ {name} {kind}" for key, (name, kind) in new.items() if key not in old]
        removed = [f"- {name} {kind}" for key, (name, kind) in old.items() if key not in new]
        changed = [
            f"{new[key][0]}: {kind} -> {new[key][1]}"
            for key, (_, kind) in old.items()
            if key in new and new[key][1] != kind
        ]
        return [*added, *removed, *changed]

    def response(self) -> PreviewResponse:
        """What the console's line ends with, and what is in ``run_results.json``."""
        counted = "" if self.rows is None else f", {rows_text(self.rows)}"
        return PreviewResponse(
            _message=f"preview{counted}",
            code="preview",
            rows_affected=self.rows,
            schema_changes=self.changes or None,
        )


def summary(previewed: Sequence[Previewed]) -> str:
    """Which permanent tables would change their columns, and how."""
    changing = [one for one in previewed if one.changes]
    created = [one.table for one in previewed if one.before is None]
    kept = len(previewed) - len(changing) - len(created)
    lines = [f"Preview: {len(previewed)} nodes became temporary views, and nothing was written."]
    if changing:
        lines += ["Tables and views whose columns would change:", _table(changing)]
    if created:
        lines.append(f"Tables and views that would be created: {_shortened(created)}")
    if kept:
        lines.append(f"Tables and views that would keep their columns: {kept}")
    return "\n".join(lines)


def _table(changing: Sequence[Previewed]) -> str:
    rows = [
        {"model": one.node, "table": one.table, "changes": _shortened(one.changes, MOST_CHANGES)}
        for one in changing[:MOST_TABLES]
    ]
    text = text_of(rows, as_json=False)
    left = len(changing) - MOST_TABLES
    return f"{text}\nand {left} more, which run_results.json lists" if left > 0 else text


def _shortened(names: Sequence[str], most: int = MOST_TABLES) -> str:
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")
