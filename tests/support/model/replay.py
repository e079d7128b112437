"""Repeat a life that the search printed as failing, and print every call that changed something.

    PYTHONPATH=tests/support python -m model.replay FILE

FILE is what pytest said. The life is repeated with the code as it is now.
"""

import ast
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ctas_spark.context import OnConflict, StagingPurpose, TableName
from ctas_spark.retention.rules import RetentionRules
from model.attempts import Plan
from model.faults import Fate, Fault
from model.machine import Lives
from model.users import Statement

NAMES = (Fate, Fault, Lives, OnConflict, Plan, RetentionRules, StagingPurpose, Statement, TableName)
FIRST = "state = Lives()"
LAST = "state.teardown()"


def main() -> None:
    """Print the life."""
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="  said: %(message)s")
    for line in replayed(Path(sys.argv[1]).read_text()):
        sys.stdout.write(f"{line}\n")


def replayed(text: str) -> Iterator[str]:
    """What was done and what came of it; raises what the life raises."""
    names: dict[str, object] = {one.__name__: one for one in NAMES}
    for statement in statements(text):
        yield f"# {' '.join(statement.split())}"
        exec(statement, names)  # noqa: S102 (what the search printed)
        logging.disable(logging.NOTSET)  # a life begins by silencing the product
        state = names["state"]
        assert isinstance(state, Lives)
        yield from (f"  {one}" for one in state.world.log)
        state.world.log.clear()


def statements(text: str) -> Iterator[str]:
    """The printed life, without what pytest puts before its lines."""
    lines = [re.sub(r"^[E| ]*(?=\S)", "", line) for line in text.splitlines()]
    begun = lines.index(FIRST)
    printed = lines[begun : lines.index(LAST, begun) + 1]
    code = re.sub(r"<(\w+\.\w+): '[^']*'>", r"\1", "\n".join(printed))
    for node in ast.parse(code).body:
        yield ast.unparse(node)


if __name__ == "__main__":
    main()
