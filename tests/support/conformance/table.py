"""The table of docs/testing.md: for each group of dbt's suite, how many classes there are and run.

PYTHONPATH=tests/support python -m conformance.table
"""

import sys
from collections import Counter

from conformance.suite import classes, group, passing


def main() -> None:
    """Print it as Markdown."""
    there, run = (Counter(map(group, names)) for names in (classes(), passing()))
    rows = ["| group | classes | pass |", "|---|---|---|"]
    rows += [f"| {name} | {there[name]} | {run[name]} |" for name in sorted(there)]
    rows += [f"| **all** | {there.total()} | {run.total()} |"]
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
