"""The line of the user's own file that an SQL error is about."""

import re
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

LINE = re.compile(r"(?<=\bline )\d+(?=,? pos)")


def located(text: str, sql: str, node: Any, project: Any) -> str:
    """Replace the statement's line by that of the user's file; name that and the compiled file.

    dbt puts more around what it has compiled; ``project`` is its RuntimeConfig.
    """
    found, path = LINE.search(text), getattr(node, "compiled_path", None)
    code = _text(project, path) if found and path else ""
    if not found or not code:
        return text
    before, own, _ = sql.partition(code.rstrip())
    line = int(found[0]) - before.lstrip().count("\n")
    if not own or not 0 < line <= len(code.splitlines()):
        return text
    of_user, place = _line_in_file(line, code, node, project), f"line {line} of {path}"
    if of_user:
        place = f"line {of_user} of {node.original_file_path}, compiled to {place}"
    return f"{LINE.sub(str(of_user or line), text, count=1)}\n  at: {place}"


def _line_in_file(line: int, code: str, node: Any, project: Any) -> int | None:
    """The line of the user's file that this line of compiled code was made from, if that shows."""
    before, own, _ = _text(project, node.original_file_path).partition(node.raw_code)
    texts = code.splitlines(), node.raw_code.splitlines()
    for _, first, end, raw, raw_end in SequenceMatcher(None, *texts, False).get_opcodes():
        if own and first < line <= end and end - first == raw_end - raw:
            return before.count("\n") + raw + line - first
    return None


def _text(project: Any, path: str) -> str:
    """The file's text; empty if there is none that could be read."""
    with suppress(OSError, UnicodeDecodeError):
        return Path(project.project_root, path).read_bytes().decode()
    return ""
