"""Several statements in one text, and semicolons where Spark takes none."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from ctas_spark import quoting

TOKEN = re.compile(
    r"""(?P<nothing>\s+|--(?:\\\n|[^\r\n])*|/\*(?!\+)(?:[^*]|\*(?!/))*(?:\*/|\Z))"""
    r"""|(?P<text>(?<!\w)[rR]'[^']*'|(?<!\w)[rR]"[^"]*"|'(?:\\.|''|[^'\\])*'|"(?:\\.|""|[^"\\])*")"""
    r"""|(?P<name>`(?:``|[^`])*`)|(?P<end>;)|(?P<close>\))|(?P<word>\w+)|(?P<other>.)""",
    re.DOTALL,
)
"""As Spark's own lexer reads SQL; ``other`` is any other letter."""
DROPPABLE = re.compile(
    r";(?:\s|;|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*(?:\)|\Z|limit\b)", re.IGNORECASE
)
"""Where one may be dropped, unless it is in a text."""
QUERY = re.compile(
    r"(?:\s|\(|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*(?:select|with|values|from|table)\b",
    re.IGNORECASE,
)
CALLS_OF_JAVA = frozenset(("reflect", "java_method", "try_reflect"))
BEFORE = frozenset(("from", "join", ","))
AFTER = frozenset(
    (
        *(
            "",
            ")",
            ",",
            ";",
            "|",
            "where",
            "join",
            "left",
            "right",
            "inner",
            "cross",
            "full",
            "semi",
        ),
        *("anti", "natural", "on", "using", "group", "order", "having", "limit", "offset", "union"),
        *("except", "intersect", "minus", "lateral", "window", "cluster", "distribute", "sort"),
        *("pivot", "unpivot", "qualify"),
    )
)
"""What may follow a relation that has no alias."""
SCRIPT = "begin"
"""Spark's scripts have semicolons within them, so nothing is split from there on."""


def statements(text: str) -> list[str]:
    """Those of a hook or a ``sql_header``, each by itself: Spark takes one at a time."""
    return [one for one in map(bare, _split(text)) if one]


def bare(statement: str) -> str:
    """Without what follows the last word: semicolons and comments. Of a comment nothing is left."""
    kept = 0
    for found in TOKEN.finditer(statement):
        if found.lastgroup not in ("nothing", "end"):
            kept = found.end()
    return statement[:kept].strip()


def tidy(sql: str) -> str:
    """Without the semicolons at the end, before a closing parenthesis, and before a LIMIT.

    That is where a query's own semicolon gets when dbt makes a subquery of it, or limits its rows.
    """
    if not DROPPABLE.search(sql):
        return sql
    ends = [-1, *_droppable(sql), len(sql)]
    return "".join(sql[start + 1 : end] for start, end in pairwise(ends))


def runs_a_program(sql: str) -> bool:
    """True if a query starts a program, or calls Java by name: what that does is not known.

    Nor is what a function does whose name the query computes.
    """
    tokens = [found for found in TOKEN.finditer(sql) if found.lastgroup != "nothing"]
    return _computes_a_function([one[0].lower() for one in tokens]) or any(
        (one[0].lower() == "using" and other.lastgroup == "text")
        or (one[0].strip("`").lower() in CALLS_OF_JAVA and other[0] == "(")
        for one, other in pairwise(tokens)
    )


def with_aliases(sql: str, names: Mapping[str, str]) -> str:
    """Give relations of generated names those of their tables, where the query gives them none.

    ``names`` has the table's name by what renders the relation. ``orders.id`` is found then, too.
    """
    if not any(name in sql for name in names):
        return sql
    tokens = [found for found in TOKEN.finditer(sql) if found.lastgroup != "nothing"]
    words = ["", "", "", *(one[0] for one in tokens), ""]
    made, start = [], 0
    for at, last in enumerate(tokens, start=3):
        name = "".join(words[at - 2 : at + 1])
        is_bare = words[at - 3].lower() in BEFORE and words[at + 1].lower() in AFTER
        if name in names and is_bare:
            made += [sql[start : last.end()], f" AS {quoting.identifier(names[name])}"]
            start = last.end()
    return "".join((*made, sql[start:]))


def is_query(sql: str) -> bool:
    """True for what Spark computes only when its rows are fetched; an INSERT may be among it."""
    return QUERY.match(sql) is not None


def _computes_a_function(words: list[str]) -> bool:
    """Whether there is a call such as ``IDENTIFIER(name)(arguments)``."""
    opened: list[bool] = []
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word == "(":
            opened.append(before == "identifier")
        elif word == ")" and opened and opened.pop() and after == "(":
            return True
    return False


def _droppable(sql: str) -> Iterator[int]:
    pending: list[int] = []
    for found in TOKEN.finditer(sql):
        if found.lastgroup == "end":
            pending.append(found.start())
        elif found.lastgroup != "nothing":
            if found.lastgroup == "close" or found[0].lower() == "limit":
                yield from pending
            pending = []
    yield from pending


def _split(text: str) -> Iterator[str]:
    start, is_first = 0, True
    for found in TOKEN.finditer(text):
        if found.lastgroup == "end":
            yield text[start : found.start()]
            start, is_first = found.end(), True
        elif found.lastgroup != "nothing":
            if is_first and found[0].lower() == SCRIPT:
                break
            is_first = False
    yield text[start:]
