"""What a snapshot's run does to its records, as one query that reads the snapshot's rows once."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctas_spark import quoting
from ctas_spark.errors import ConfigurationError
from dbt.adapters.ctas_spark import in_place
from dbt.adapters.ctas_spark.batches import NEW, OLD, Side
from dbt.adapters.ctas_spark.increments import WriteMode, is_of_files
from dbt.adapters.ctas_spark.invocation import Invocation
from dbt.adapters.ctas_spark.model_rows import ModelRows
from dbt.adapters.ctas_spark.old_rows import ADDED, Values, of_both
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

CHANGE = "dbt_change_type"
"""The column by which dbt's MERGE knows what to do with a row."""
IS_DELETED, NEW_RECORD = "dbt_is_deleted", "new_record"
META = ("dbt_scd_id", "dbt_valid_from", "dbt_valid_to", "dbt_updated_at", IS_DELETED)
RECORDS, ROWS = "snapshotted_data", "source_data"
"""The names by which dbt's strategies call the table's records and the rows of the query."""
KEY, NO_KEY = "__ctas_spark_key_{}", "__ctas_spark_no_key"
IS_THERE, IS_CURRENT, IS_LAST = (f"__ctas_spark_is_{one}" for one in ("there", "current", "last"))
SAME_KEY, NUMBER = "__ctas_spark_same_key", "__ctas_spark_number"
TWICE = "snapshot: unique_key is not unique in the snapshot's query; several rows change one record"
REMEDY = "cast it in the snapshot's query"
BY_STATEMENT = "the snapshot is created by dbt-spark's statement"
MAP = "map<"
CHECKED = re.compile(rf"{RECORDS}\.(`(?:[^`]|``)+`) != {ROWS}\.\1")
CHECK = (
    "{o}.{c} != {s}.{c} or ((({o}.{c} is null) and not ({s}.{c} is null)) "
    "or ((not {o}.{c} is null) and ({s}.{c} is null)))"
)
"""How dbt's strategy compares one column ``c`` of a record ``o`` and a row ``s``."""


def write_mode(existing: CtasSparkRelation | None) -> WriteMode:
    """Decide how the snapshot writes; Delta and Iceberg have a MERGE, which is one commit."""
    if existing is None:
        return WriteMode.WHOLE
    return WriteMode.WITH_OLD_ROWS if is_of_files(existing) else WriteMode.IN_PLACE


@dataclass(frozen=True, slots=True)
class Strategy:
    """dbt's strategy of a snapshot, as SQL."""

    keys: tuple[str, ...]
    updated_at: str
    scd_id: str
    row_changed: str
    hard_deletes: str
    current: str
    """What a record that is valid now has in ``dbt_valid_to``, next to NULL."""
    now: str
    deleted_id: str
    """The ``dbt_scd_id`` of a deletion's record, from that of the record ``o`` before it."""
    returned_id: str
    """That of a row ``s`` which returns, or has changed, with an old time.

    Its own may be of an older record.
    """

    @classmethod
    def of(cls, given: Mapping[str, Any], config: Mapping[str, Any], **sql: str) -> "Strategy":
        """From the mapping that dbt's macro of the strategy returns."""
        key, changed = given["unique_key"], without_nesting(str(given["row_changed"]))
        if config.get("strategy") == "timestamp":
            # a record may be valid from a later time than its row had
            names = config.get("snapshot_table_column_names") or {}
            at = quoting.identifier(names.get("dbt_updated_at", "dbt_updated_at"))
            changed = f"{changed} OR {RECORDS}.{at} < {ROWS}.{at}"
        return cls(
            keys=(key,) if isinstance(key, str) else tuple(key),
            updated_at=str(given["updated_at"]),
            scd_id=str(given["scd_id"]),
            row_changed=changed,
            hard_deletes=str(given.get("hard_deletes") or "ignore"),  # a strategy may not know it
            current=config.get("dbt_valid_to_current") or "NULL",
            **sql,
        )


@dataclass(frozen=True, slots=True)
class Changes:
    """The records of a snapshot's table, and the rows of its query, joined by their keys."""

    strategy: Strategy
    names: Mapping[str, str]
    """The table's names of dbt's columns; without that of deletions if the query has its own."""
    old: Side
    new: str
    columns: Mapping[str, Values]

    def records(self) -> str:
        """Select all records of the table after the run, as dbt's MERGE would leave them."""
        is_first = f"o.{IS_THERE} AND coalesce(s.{NUMBER}, 1) = 1"
        emitted = [(is_first, self._old_record()), *self._inserted()]
        return self._emitted(emitted, where="TRUE")

    def changed(self) -> str:
        """Select the changes, for dbt's MERGE."""
        kind = quoting.identifier(CHANGE)
        ended = f"IF(is_gone, 'delete', 'update') AS {kind}, {self._old_record()}"
        inserted = [(when, f"'insert' AS {kind}, {row}") for when, row in self._inserted()]
        return self._emitted(
            [("is_gone OR is_ended", ended), *inserted], where=f"{IS_CURRENT} OR {IS_LAST}"
        )

    def _emitted(self, emitted: Sequence[tuple[str, str]], where: str) -> str:
        structs = ", ".join(f"IF({when}, struct({row}), NULL)" for when, row in emitted)
        rows = f"filter(array({structs}), one -> one IS NOT NULL)"
        return f"SELECT inline({rows}) FROM ({self._decided(where)})"  # noqa: S608 (quoted)

    def _decided(self, where: str) -> str:
        """What becomes of each record ``o`` and each row ``s``; a name is known after its line."""
        current, is_deleted = f"o.{IS_CURRENT}", self._is_deleted
        valid_from, valid_to = self._meta("o", "dbt_valid_from"), self._meta("o", "dbt_valid_to")
        now, kind, at = self.strategy.now, self._kind("dbt_valid_from"), self._at
        deletes = "TRUE" if self.strategy.hard_deletes in ("invalidate", NEW_RECORD) else "FALSE"
        error = quoting.string(TWICE)
        lines = (
            f"o.{IS_THERE} AND s.{IS_THERE} AND s.{NO_KEY} IS NULL AS is_both",
            f"coalesce(is_both AND (NOT {current} OR {is_deleted}), FALSE) AS is_returned",
            "coalesce(is_both AND (is_returned OR is_other), FALSE) AS has_changed",
            (
                f"CASE WHEN has_changed AND {current} AND s.{SAME_KEY} > 1 "
                f"THEN raise_error({error}) ELSE has_changed AND {current} END AS is_ended"
            ),
            (
                f"coalesce(o.{IS_THERE} AND {current} AND s.{IS_THERE} IS NULL AND {deletes} "
                f"AND NOT {is_deleted}, FALSE) AS is_gone"
            ),
            f"IF({current}, {valid_from}, CAST({valid_to} AS {kind})) AS since",
            f"coalesce(is_returned AND {self._is_old}, FALSE) AS is_late",
            (
                f"CASE WHEN is_late THEN greatest(CAST({now} AS {kind}), since) "
                f"WHEN has_changed THEN greatest(coalesce({at}, CAST({now} AS {kind})), since) "
                f"ELSE {at} END AS begins"
            ),
        )
        return f"SELECT *, {', '.join(lines)} FROM ({self._joined(where)})"  # noqa: S608 (quoted)

    def _joined(self, where: str) -> str:
        keys = [*map(KEY.format, range(len(self.strategy.keys))), NO_KEY]
        same = " AND ".join(f"{RECORDS}.{key} <=> {ROWS}.{key}" for key in keys)
        return (
            f"SELECT struct({RECORDS}.*) AS o, struct({ROWS}.*) AS s, "  # noqa: S608 (quoted)
            f"({self.strategy.row_changed}) AS is_other "
            f"FROM (SELECT * FROM ({self._records()}) WHERE {where}) AS {RECORDS} "
            f"FULL JOIN ({self._rows()}) AS {ROWS} "
            f"ON ({RECORDS}.{IS_CURRENT} OR {RECORDS}.{IS_LAST}) AND {same}"
        )

    def _records(self) -> str:
        """The table's, each with its key, and whether it is its key's last."""
        values = {name: one.old or "NULL" for name, one in self.columns.items()}
        valid_to = self._meta(OLD, "dbt_valid_to")
        is_current = f"{valid_to} IS NULL OR coalesce({valid_to} = {self.strategy.current}, FALSE)"
        inner = (
            f"SELECT {_named(values)}, {self._keys(self._meta(OLD, 'dbt_scd_id'))}, "  # noqa: S608 (quoted)
            f"{is_current} AS {IS_CURRENT}, TRUE AS {IS_THERE} FROM {self.old[0]} AS {OLD}"
        )
        ends = quoting.identifier(self.names["dbt_valid_to"])
        order = f"ORDER BY {IS_CURRENT} DESC, {ends} DESC"
        last = f"row_number() OVER (PARTITION BY {self._key_names()} {order}) = 1"
        return f"SELECT *, {last} AS {IS_LAST} FROM ({inner})"  # noqa: S608 (quoted)

    def _rows(self) -> str:
        """Those of the query, in the table's types, with dbt's columns as its strategies know."""
        values = {name: one.new for name, one in self.columns.items() if one.new is not None}
        at, scd_id = self.strategy.updated_at, self.strategy.scd_id
        meta = {
            self.names["dbt_updated_at"]: at,
            self.names["dbt_valid_from"]: at,
            self.names["dbt_scd_id"]: scd_id,
        }
        inner = (
            f"SELECT *, {_named(meta)}, {self._keys(scd_id)}, TRUE AS {IS_THERE} "  # noqa: S608 (quoted)
            f"FROM (SELECT {_named(values)} FROM {self.new} AS {NEW})"
        )
        same = f"OVER (PARTITION BY {self._key_names()}"
        return (
            f"SELECT *, count(*) {same}) AS {SAME_KEY}, "  # noqa: S608 (quoted)
            f"row_number() {same} ORDER BY {IS_THERE}) AS {NUMBER} FROM ({inner})"
        )

    def _keys(self, scd_id: str) -> str:
        """The parts of the key; a NULL in it is no key, and only the same record is the same."""
        keys = {KEY.format(at): key for at, key in enumerate(self.strategy.keys)}
        is_none = " OR ".join(f"({key}) IS NULL" for key in self.strategy.keys)
        return _named({**keys, NO_KEY: f"CASE WHEN {is_none} THEN {scd_id} END"})

    def _key_names(self) -> str:
        return ", ".join((*map(KEY.format, range(len(self.strategy.keys))), NO_KEY))

    def _old_record(self) -> str:
        """A record after the run, which may have ended it."""
        now, kind = self.strategy.now, self._kind("dbt_valid_to")
        ends = f"WHEN is_ended THEN CAST(begins AS {kind}) WHEN is_gone THEN CAST({now} AS {kind})"
        valid_to = f"CASE {ends} ELSE {self._meta('o', 'dbt_valid_to')} END"
        return self._record("o", {"dbt_valid_to": valid_to})

    def _inserted(self) -> list[tuple[str, str]]:
        """New records: of a row that is new or changed, and of a deletion."""
        now, returned = self.strategy.now, self.strategy.returned_id
        is_old = f"is_late OR has_changed AND {self._is_old}"
        scd_id = f"IF({is_old}, {returned}, {self._meta('s', 'dbt_scd_id')})"
        valid_to = f"CAST({self.strategy.current} AS {self._kind('dbt_valid_to')})"
        row = {
            "dbt_scd_id": scd_id,
            "dbt_updated_at": self._meta("s", "dbt_updated_at"),
            "dbt_valid_from": "begins",
            "dbt_valid_to": valid_to,
            IS_DELETED: "'False'",
        }
        deletion = {
            "dbt_scd_id": self.strategy.deleted_id,
            "dbt_updated_at": f"CAST({now} AS {self._kind('dbt_updated_at')})",
            "dbt_valid_from": f"CAST({now} AS {self._kind('dbt_valid_from')})",
            IS_DELETED: "'True'",
        }
        is_new = f"s.{IS_THERE} AND (o.{IS_THERE} IS NULL OR has_changed)"
        inserted = [(is_new, self._record("s", row))]
        if self.strategy.hard_deletes == NEW_RECORD:
            inserted.append(("is_gone", self._record("o", deletion)))
        return inserted

    def _record(self, side: str, meta: Mapping[str, str]) -> str:
        """All columns of the table, from the record ``o`` or the row ``s``."""
        found = {self.names[one].lower(): value for one, value in meta.items() if one in self.names}
        return _named(
            {
                name: found.get(name.lower())
                or ("NULL" if side == "s" and one.new is None else _of(side, name))
                for name, one in self.columns.items()
            }
        )

    @property
    def _at(self) -> str:
        """The time of a row ``s``; strategies may have it as a text or a number, or none."""
        return f"CAST({self._meta('s', 'dbt_updated_at')} AS {self._kind('dbt_valid_from')})"

    @property
    def _is_old(self) -> str:
        """Whether that is not later than the record ``o`` began or ended; no time is no later."""
        return f"NOT coalesce({self._at} > since, {self._at} IS NOT NULL)"

    @property
    def _is_deleted(self) -> str:
        """Whether the record ``o`` is of a deletion."""
        name = self.names.get(IS_DELETED)
        if name is None or name.lower() not in map(str.lower, self.columns):
            return "FALSE"
        return f"coalesce({_of('o', name)} = 'True', FALSE)"

    def _meta(self, side: str, name: str) -> str:
        return _of(side, self.names[name])

    def _kind(self, name: str) -> str:
        kinds = {column.lower(): kind for column, kind in self.old[1].items()}
        return kinds[self.names[name].lower()]


def without_nesting(changed: str) -> str:
    """dbt's check of columns without its nesting, in which a thousand overflow Spark's parser.

    Each is compared by itself, for two structs are not comparable where a type has changed.
    Anything else, such as the check of a project's own strategy, stays as it is.
    """
    columns = CHECKED.findall(changed)
    each = " or ".join(CHECK.format(o=RECORDS, s=ROWS, c=column) for column in columns)
    if not columns or _without_spaces(f"({each})") != _without_spaces(changed):
        return changed
    same = (f"{RECORDS}.{column} <=> {ROWS}.{column}" for column in columns)
    return f"NOT ({' AND '.join(same)})"


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def named(names: Mapping[str, str]) -> dict[str, str]:
    """What the table calls each of dbt's columns."""
    return {one: names.get(one, one) for one in META}


def columns_of(
    node: str, meta: Mapping[str, str], table: CtasSparkRelation, old: Side, new: Side
) -> dict[str, Values]:
    """The columns of the table after the run; names in another case are the same.

    Raises:
        ConfigurationError: the table can't take the rows, with all columns that are the cause.
    """
    dbts = {one.lower() for one in meta.values()}
    rows = new[0], {name: kind for name, kind in new[1].items() if name.lower() not in dbts}
    if is_of_files(table):
        return of_both(node, ADDED, old, rows, REMEDY)
    found = in_place.compared(table, ADDED, old, rows, remedy=REMEDY)
    values = in_place.planned(node, found, old, rows).values
    return {
        name: Values(_of(OLD, name) if name in old[1] else None, value)
        for name, value in values.items()
    }


def checked(columns: Iterable[Any], existing: Iterable[str] | None) -> tuple[bool, list[str]]:
    """Which of the query's columns a check compares, quoted, and whether the table lacks one.

    ``existing`` are the table's; None if there is no table yet.
    """
    names = [str(one.name) for one in columns]
    known = {one.lower() for one in (names if existing is None else existing)}
    both = [quoting.identifier(name) for name in names if name.lower() in known]
    return len(both) < len(names), both


def refuse_maps(node: str, columns: Iterable[Any]) -> None:
    """Return if Spark can compare the columns of a check.

    Raises:
        ConfigurationError: it names those of them that hold maps.
    """
    problems = [
        f"check_cols: Spark can't compare column {one.name}, which is {one.dtype}; name the other "
        "columns, or convert it by to_json in the snapshot's query"
        for one in columns
        if MAP in str(one.dtype).lower()
    ]
    if problems:
        raise ConfigurationError(node, problems)


def _named(values: Mapping[str, str]) -> str:
    return ", ".join(f"{value} AS {quoting.identifier(name)}" for name, value in values.items())


def _of(side: str, name: str) -> str:
    return f"{side}.{quoting.identifier(name)}"


class Snapshots:
    """What the macros of a snapshot call."""

    def __init__(self, invocation: Invocation, rows: ModelRows) -> None:
        self._invocation = invocation
        self._rows = rows

    def changes(
        self,
        existing: CtasSparkRelation,
        rows: CtasSparkRelation,
        names: dict[str, str],
        strategy: dict[str, Any],
        sql: dict[str, str],
    ) -> Changes:
        """What the rows of the view ``rows`` do to a snapshot's records, to be selected.

        ``names`` are dbt's columns, and ``strategy`` and ``sql`` what its macros say.
        """
        node, meta = self._invocation.node.node, named(names)
        of = Strategy.of(strategy, node.config, **sql)
        old, new = self._rows.side(existing), self._rows.side(rows)
        if of.hard_deletes != NEW_RECORD and meta[IS_DELETED].lower() in map(str.lower, new[1]):
            del meta[IS_DELETED]  # it is the query's own column, as dbt makes none
        columns = columns_of(node.unique_id, meta, existing, old, new)
        return Changes(of, meta, old, new[0], columns)

    def columns_to_check(
        self, columns: list[Any], existing: CtasSparkRelation | None
    ) -> tuple[bool, list[str]]:
        """Which columns a snapshot's check compares; and whether the table lacks one of them."""
        refuse_maps(self._invocation.node.node.unique_id, columns)
        known = None if existing is None else self._rows.side(existing)[1]
        return checked(columns, known)
