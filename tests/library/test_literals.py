"""How Spark reads string literals, which decides whether they can be written here."""

from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.errors import NotSupportedError
from ctas_spark.quoting import KEPT, refuse_to_keep, require_escapes


def session(value: str | None) -> Any:
    """A session with this value of the setting."""
    return SimpleNamespace(conf=SimpleNamespace(get=lambda _, other: value or other))


def test_a_session_that_keeps_backslashes_is_refused() -> None:
    """The newline of a seed would be a backslash and an n, and the seed reported OK."""
    for fine in (None, "false", "FALSE"):
        require_escapes(session(fine))
    with pytest.raises(NotSupportedError, match=KEPT):
        require_escapes(session("True"))


def test_no_statement_makes_a_session_keep_them() -> None:
    """A hook or a header, whatever is before it."""
    for fine in (f"set {KEPT} = false", f"select '{KEPT} = true'", "set a = true"):
        refuse_to_keep(fine)
    for sql in (f"/* a */ set {KEPT}=true", f"-- b\nSET `{KEPT}` = TRUE"):
        with pytest.raises(NotSupportedError, match="the statement was not run"):
            refuse_to_keep(sql)
