"""A project whose names and values hold what SQL text is broken by."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ODD = "a `b`.c 'd' \"e\" \\ ; -- /* ${f} %s ü 😀\tg\nselect"
NAMES = (
    *(
        "a b",
        "a.b",
        "a`b",
        "a'b",
        'a"b',
        "a\\b",
        "a;b",
        "a,b",
        "a\nb",
        "a(b)",
        "a{b}",
        "a=b",
        "a/b",
    ),
    *("ü", "😀", "select", "Mixed Case", "--", "#", "_", "1", "a:b", "array<int>"),
)
LONG = 5_000
FORMATS = ("parquet", "orc", "csv", "json")
Model = Mapping[str, Any]


def quoted(name: str) -> str:
    """The name as a user writes it in a model."""
    return "`" + name.replace("`", "``") + "`"


def selected(names: tuple[str, ...], value: str = "'v{{ var('n') }}'") -> str:
    """A query with a column of each name."""
    return "select " + ", ".join(f"{value} as {quoted(name)}" for name in names)


def described(names: tuple[str, ...]) -> list[dict[str, object]]:
    """A description of each column."""
    return [{"name": name, "description": f"{name} {ODD}", "quote": True} for name in names]


def models(location_root: Path) -> dict[str, tuple[Model, str]]:
    """Each model's properties and its query."""
    return {
        **{f"columns_{each}": _columns(each) for each in FORMATS},
        "columns_text": (
            {**_columns("text")[0], "columns": described(("a,b",))},
            selected(("a,b",)),
        ),
        "valued": (_valued(location_root), "select {{ var('n') }} as n"),
        "long_names": (_long(), f"select {{{{ var('n') }}}} as {'c' * 1_000}"),
        "split": (_split(), "select id % 2 as `a b`, id % 3 as `ü=%`, id as `k,x` from range(12)"),
        "reserved": (_aliased("select"), "select {{ var('n') }} as `from`"),
        "follows": ({"config": table()}, "select * from {{ ref('reserved') }}"),
        "spaced": (_aliased("a b"), "select 1 as n"),
        "injected": (_aliased("x -- y"), "select 1 as n"),
        "endless": (_aliased("e" * 256), "select 1 as n"),
        "doubled": (
            {"config": table()},
            "select 1 as a, {{ var('n') }} as {{ 'b' if var('n') == 1 else 'A' }}",
        ),
        "huge": (_aliased("huge", tblproperties={"k": "v" * 40_000}), "select 1 as n"),
    }


def files(location_root: Path) -> dict[str, str]:
    """The project's files."""
    found = models(location_root)
    properties = [{"name": name, **model} for name, (model, _) in found.items()]
    described = json.dumps({"models": properties}, ensure_ascii=False)
    return {
        "models/all.yml": described,
        **{f"models/{name}.sql": query for name, (_, query) in found.items()},
    }


def names(file_format: str) -> tuple[str, ...]:
    """The names that Spark reads back in a format: orc's reader finds no column with a backtick."""
    return tuple(name for name in NAMES if file_format != "orc" or "`" not in name)


def _columns(file_format: str) -> tuple[Model, str]:
    config = {"file_format": file_format, "persist_docs": {"columns": True, "relation": True}}
    columns = names(file_format)
    model = {"description": ODD, "columns": described(columns), "config": table(**config)}
    return model, selected(columns)


def _valued(location_root: Path) -> Model:
    properties = {ODD: ODD, "a.b": "", "long": "v" * LONG, "k" * 256: "v"}
    config = table(
        location_root=str(location_root),
        tblproperties=properties,
        options={ODD: ODD},
        persist_docs={"relation": True},
    )
    return {"description": ODD + "d" * LONG, "config": config}


def _long() -> Model:
    column = {"name": "c" * 1_000, "description": "d" * LONG}
    config = table(alias="l" * 200, persist_docs={"columns": True})
    return {"columns": [column], "config": config}


def _split() -> Model:
    config = table(
        partition_by=["`a b`", "ü=%"],
        partition_metadata="files",
        clustered_by="`k,x`",
        sorted_by="`k,x`",
        buckets=2,
    )
    return {"config": config}


def _aliased(alias: str, **config: object) -> Model:
    return {"config": table(alias=alias, **config)}


def table(**config: object) -> dict[str, object]:
    """The configuration of a table."""
    return {"materialized": "table", **config}
