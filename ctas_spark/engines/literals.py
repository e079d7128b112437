"""Whether Spark reads string literals as they are written here: with backslashes as escapes."""

import re
from typing import Any

from ..errors import NotSupportedError

KEPT = "spark.sql.parser.escapedStringLiterals"
"""The setting by which a literal keeps its backslashes, as in Spark 1."""
SETS = re.compile(
    rf"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*SET\s+`?{re.escape(KEPT)}`?\s*=\s*`?true",
    re.IGNORECASE,
)


def require_escapes(spark: Any, left: str = "nothing was started") -> None:
    """Return if the session takes backslashes for escapes; ``left`` is what an error leaves.

    Raises:
        NotSupportedError: comments, properties and the rows of seeds would be other texts.
    """
    if str(spark.conf.get(KEPT, "false")).lower() == "true":
        raise _refused(left)


def refuse_to_keep(sql: str) -> None:
    """The same for a statement that would change the setting."""
    if SETS.match(sql):
        raise _refused("the statement was not run")


def _refused(left: str) -> NotSupportedError:
    return NotSupportedError(
        f"{KEPT} is true: comments, properties and seeds would silently get wrong texts",
        left=left,
        remedy=r"remove the setting, and write a regular expression as r'\d' instead",
    )
