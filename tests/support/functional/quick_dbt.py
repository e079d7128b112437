"""dbt's invocations in this process, without most of what is the same in each.

Most of its time goes into the macros of dbt, dbt-spark and this adapter, some 600: it parses them
whenever a variable has another value, and writes them twice as JSON.
"""

import gc
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from dbt.artifacts.schemas import base
from dbt.clients import jinja_static
from dbt.context.docs import generate_runtime_docs_context
from dbt.contracts.graph.nodes import Macro
from dbt.parser import manifest
from dbt_common.clients.jinja import get_environment
from dbt_common.exceptions import base as exceptions
from dbt_common.tests import enable_test_caching
from dbt_common.utils.encoding import JSONEncoder


def quicken_dbt() -> None:
    """From now on, in this process; dbt's own tests keep what was parsed, too."""
    enable_test_caching()
    # it is only asked to parse
    jinja_static.get_environment = cache(get_environment)  # type: ignore[attr-defined, assignment]
    base.write_json = _write_json  # type: ignore[attr-defined]
    manifest.generate_runtime_docs_context = _context_of_docs  # type: ignore[attr-defined, assignment]
    exceptions.env_secrets = _no_secrets
    gc.collect()
    gc.freeze()  # what was imported stays, and each collection would go through it


def _write_json(path: str, data: Mapping[str, Any]) -> bool:
    """As dbt does, but in one piece: only then is it encoded in C."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data, cls=JSONEncoder), "utf-8")
    return True


def _context_of_docs(config: Any, node: Any, *rest: Any) -> dict[str, Any]:
    """Nothing for a macro whose descriptions are plain text, as almost all are."""
    if isinstance(node, Macro):
        texts = (node.description, *(argument.description for argument in node.arguments))
        if not any("{" in text for text in texts):
            return {}
    return generate_runtime_docs_context(config, node, *rest)


def _no_secrets() -> list[str]:
    """No test has any in a variable. dbt looks for some at every error, and catches thousands."""
    return []
