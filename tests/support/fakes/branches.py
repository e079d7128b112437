"""An Iceberg catalog in memory behind SQL whose tables have branches."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import IllegalArgumentException

from fakes.sql_catalog import FakeSqlCatalog, named

BRANCH = re.compile(r"ALTER TABLE (\S+) (CREATE|DROP) BRANCH (?:IF EXISTS )?`(\w+)`(?: .* (\d+))?")
INSERT = re.compile(
    r"INSERT INTO (`\S+`)\.`branch_(\w+)` (?:WITH \((.*)\) SELECT.*false|REPLACE WHERE true\n(.*))",
    re.DOTALL,
)
FORWARD = re.compile(r"CALL `\w+`.*table => '(\S+)', branch => 'main', to => '(\w+)'\)")
BY_NAME = re.compile(r"SELECT (.*) FROM \(\n(.*)\n\)", re.DOTALL)
COPIED = re.compile(r"SELECT \* FROM (`\S+`) VERSION AS OF '(\w+)'")
SUMMARY = re.compile(r"'snapshot-property\.(\w+)' = '([^']*)'")
SELECTED = re.compile(r"AS (\w+)")


@dataclass
class History:
    """One table's; ``rows`` are those of each snapshot, as the query that made them."""

    refs: dict[str, int] = field(default_factory=dict)
    snapshots: dict[int, dict[str, Any]] = field(default_factory=dict)
    rows: dict[int, str] = field(default_factory=dict)
    log: list[int] = field(default_factory=list)

    def add(self, branch: str, rows: str, operation: str, own: Mapping[str, str], ms: int) -> None:
        """Commit a snapshot to a branch."""
        number = 100 + len(self.snapshots)
        parent = None if operation == "create" else self.refs.get(branch)
        summary = json.dumps({"total-records": "2", **own})
        self.snapshots[number] = {
            "what": "snapshot",
            "id": number,
            "parent": parent,
            "operation": operation,
            "summary": summary,
            "ms": ms,
        }
        self.rows[number] = rows
        self.show(branch, number)

    def show(self, branch: str, snapshot: int) -> None:
        """Let a branch end at a snapshot."""
        self.refs[branch] = snapshot
        if branch == "main":
            self.log.append(snapshot)

    def reaches(self, branch: str, snapshot: int) -> bool:
        """True if the branch comes from the snapshot."""
        found: int | None = self.refs[branch]
        while found is not None and found != snapshot:
            found = self.snapshots[found]["parent"]
        return found is not None


class FakeBranches(FakeSqlCatalog):
    """``columns`` are those of every table, as DESCRIBE says them, ``said`` what else it is."""

    def __init__(self) -> None:
        super().__init__()
        self.histories: dict[str, History] = {}
        self.columns: dict[str, list[dict[str, str]]] = {}
        self.said = ""

    def write(self, path: str, rows: str, own: Mapping[str, str]) -> None:
        super().write(path, rows, own)
        self.columns[path] = described(rows)
        found = self.histories.setdefault(path, History())
        found.add("main", rows, "create", {}, self.clock.wall)

    def drop(self, path: str) -> None:
        super().drop(path)
        del self.histories[path]

    def insert(
        self, path: str, rows: str = "SELECT 3 AS theirs", operation: str = "append"
    ) -> None:
        """What others commit to main."""
        self.histories[path].add("main", rows, operation, {}, self.clock.wall)
        self.rows[path] = rows

    def _run(self, statement: str, path: str) -> list[Mapping[str, Any]]:
        if statement.startswith("SHOW CREATE TABLE"):
            self._check(path)
            snapshot = self.histories[path].refs["main"]
            text = f"CREATE TABLE t (id INT)\nUSING iceberg\n{self.said}TBLPROPERTIES (\n  "
            own = "".join(f"'{k}' = '{v}'" for k, v in self.shown[path].items())
            return [{"createtab_stmt": f"{text}'current-snapshot-id' = '{snapshot}'{own})"}]
        if statement.startswith("DESCRIBE TABLE") and path in self.columns:
            self._check(path)
            return [*self.columns[path], {"col_name": "", "data_type": "", "comment": ""}]
        return super()._run(statement, path)

    def ask(self, statement: str) -> list[Mapping[str, Any]]:
        """Run a statement."""
        for pattern, run in (
            (BRANCH, self._branch),
            (INSERT, self._insert),
            (FORWARD, self._forward),
        ):
            found = pattern.match(statement)
            if found is not None:
                self._told(statement)
                run(*found.groups())
                self.after(statement)
                return []
        if statement.startswith("SELECT 'branch'"):
            self._told(statement)
            return self._lines(re.search(r"FROM (`\S+`)\.refs", statement).group(1))  # type: ignore[union-attr]
        if statement.startswith("SELECT DISTINCT _spec_id"):
            self._told(statement)
            return [{"spec": 4}]
        if statement.startswith("DESCRIBE QUERY"):
            self._told(statement)
            return [*described(statement)]
        return super().ask(statement)

    def _told(self, statement: str) -> None:
        self.statements.append(statement)
        self.before(statement)
        if self.failure is not None:
            raise self.failure

    def _branch(self, path: str, verb: str, name: str, snapshot: str | None) -> None:
        self._check(path)
        if verb == "CREATE":
            self.histories[path].refs[name] = int(snapshot or 0)
        else:
            self.histories[path].refs.pop(name, None)

    def _insert(self, path: str, branch: str, marked: str | None, query: str | None) -> None:
        self._check(path)
        found = self.histories[path]
        rows = found.rows[found.refs[branch]] if marked else str(query)
        selected = BY_NAME.match(rows)
        if selected is not None:
            names, rows = selected.groups()
            assert names == ", ".join(f"`{one['col_name']}`" for one in self.columns[path])
        copied = COPIED.match(rows)
        if copied is not None:
            rows = found.rows[found.refs[copied.group(2)]]
        operation = "append" if marked else "overwrite"
        found.add(branch, rows, operation, dict(SUMMARY.findall(marked or "")), self.clock.wall)

    def _forward(self, path: str, branch: str) -> None:
        if path not in self.shown:
            raise named("TABLE_OR_VIEW_NOT_FOUND")
        found = self.histories[path]
        if branch not in found.refs:
            raise IllegalArgumentException(f"Ref does not exist: {branch}")
        if not found.reaches(branch, found.refs["main"]):
            raise IllegalArgumentException(
                f"Cannot fast-forward: main is not an ancestor of {branch}"
            )
        found.show("main", found.refs[branch])
        self.rows[path] = found.rows[found.refs[branch]]
        self.commits[path] += 1

    def _lines(self, path: str) -> list[Mapping[str, Any]]:
        self._check(path)
        found = self.histories[path]
        refs = [{"what": "branch", "name": name, "id": at} for name, at in found.refs.items()]
        log = [{"what": "log", "id": at, "ms": ms} for ms, at in enumerate(found.log)]
        return [*refs, *log, *found.snapshots.values()]


def described(query: str) -> list[dict[str, str]]:
    """The columns that a query names, each an int."""
    names = SELECTED.findall(query)
    return [{"col_name": name, "data_type": "int", "comment": ""} for name in names]
