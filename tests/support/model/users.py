"""What people do to tables without any protocol: Spark's and Hive's own statements."""

from dataclasses import replace
from enum import Enum

from ctas_spark.context import TableName
from ctas_spark.files.base import LAST_DDL_TIME
from ctas_spark.metastore.client import TableEntry
from ctas_spark.publish.marker import Marker
from fakes.metastore import entry
from fakes.partitions import partition
from fakes.world import STAGING_SCHEMA
from model.attempts import OTHER_SCHEMA, TARGETS, Columns, columns_of, spark_schema
from model.watch import is_tracked
from model.world import ModelWorld


class Statement(Enum):
    """What users do."""

    CREATE = "create"
    INSERT = "insert"
    ALTER = "alter"
    ADD_COLUMN = "add a column"
    READ_TO_ALTER = "read"
    ALTER_WITH_WHAT_WAS_READ = "write back"
    DROP = "drop"
    RENAME = "rename"
    CLONE = "clone"
    DROP_ANOTHER = "drop another"
    RENAME_ANOTHER = "rename another"
    COPY_RECORD = "copy a record from another staging schema"


class Users:
    """Each method is one statement; those on a table that is not there do nothing."""

    def __init__(self, world: ModelWorld) -> None:
        self._world = world
        self._metastore = world.metastore
        self._names = 0
        self._read: dict[TableName, TableEntry] = {}

    def do(self, statement: Statement, table: TableName, number: int) -> None:
        """One statement; ``number`` tells its details."""
        others = [one.name for one in self._world.visible() if one.name not in TARGETS]
        another = others[number % len(others)] if others else table
        {
            Statement.CREATE: lambda: self.creates(
                table, managed=number % 2 == 1, by_month=number % 4 > 1
            ),
            Statement.INSERT: lambda: self.inserts(table, ("may", "june", "august")[number % 3]),
            Statement.ALTER: lambda: self.alters(table, columns=False),
            Statement.ADD_COLUMN: lambda: self.alters(table, columns=True),
            Statement.READ_TO_ALTER: lambda: self.reads(table),
            Statement.ALTER_WITH_WHAT_WAS_READ: lambda: self.writes_back(table),
            Statement.DROP: lambda: self.drops(table),
            Statement.RENAME: lambda: self.renames(table, self._new_table()),
            Statement.CLONE: lambda: self.clones(table, self._new_table()),
            Statement.DROP_ANOTHER: lambda: self.drops(another),
            Statement.RENAME_ANOTHER: lambda: self.renames(another, table),
            Statement.COPY_RECORD: lambda: self.copies_a_record(number),
        }[statement]()

    def creates(self, target: TableName, *, managed: bool, by_month: bool) -> None:
        """CREATE TABLE, with a row."""
        if target in self._metastore.tables:
            return
        self._touches(target)
        location = f"file:/warehouse/{target.database}.db/{target.table}"
        self._writes(location, by_month=by_month)
        kind = "MANAGED_TABLE" if managed else "EXTERNAL_TABLE"
        keys = ("month",) if by_month else ()
        columns: Columns = (("id", "bigint"),)
        parameters = {**spark_schema(columns, keys), "numFiles": "1"}
        self._puts(
            entry(
                target,
                table_type=kind,
                location=location,
                columns=columns,
                partition_keys=keys,
                create_time=self._world.true_ms // 1000,
                parameters=parameters,
            )
        )

    def inserts(self, name: TableName, month: str) -> None:
        """INSERT INTO: a file, perhaps a partition, and new statistics."""
        there = self._metastore.tables.get(name)
        if there is None or there.location is None or self._is_anothers(there):
            return
        if not there.columns:
            return  # Spark's INSERT fails on an entry without columns, and so does its ALTER
        self._world.inserts[name] += 1
        path = self._writes(there.location, by_month=bool(there.partition_keys), month=month)
        if is_tracked(there):
            kept = self._metastore.kept.setdefault(name, {})
            kept.setdefault((month,), partition(path.rpartition("/")[0], month))
        files = int(there.parameters.get("numFiles", "0")) + 1
        self._puts(replace(there, parameters={**there.parameters, "numFiles": str(files)}))

    def alters(self, name: TableName, *, columns: bool) -> None:
        """ALTER TABLE: a property, or a column more."""
        there = self._metastore.tables.get(name)
        if there is None or not there.columns:
            return
        if columns:
            more: Columns = (*there.columns, (self._new_name("more"), "int"))
            schema = spark_schema(more, there.partition_columns)
            there = replace(there, columns=more, parameters={**there.parameters, **schema})
            self._world.columns[str(there.location)] = more
        parameters = {**there.parameters, "owner_note": self._new_name("note")}
        self._puts(replace(there, parameters=parameters))

    def reads(self, name: TableName) -> None:
        """The first half of an ALTER: what the client writes back later, whole."""
        there = self._metastore.tables.get(name)
        if there is not None:
            self._read[name] = there

    def writes_back(self, name: TableName) -> None:
        """The second half, which undoes what was committed since.

        Nothing can help where the files or partitions that it names are gone by then.
        """
        was, now = self._read.pop(name, None), self._metastore.tables.get(name)
        if was is None or now is None or was.location is None:
            return
        is_going = was.directory_name in self._world.watch.taken
        if self._world.is_whole(was.location) and not is_tracked(was) and not is_going:
            self._touches(name)
            self._world.columns[was.location] = columns_of(was.parameters)
            self._puts(replace(was, parameters={**was.parameters, "note": self._new_name("n")}))
            self._world.watch.forgets(now)

    def drops(self, name: TableName) -> None:
        """DROP TABLE; a managed table's data goes along."""
        there = self._metastore.tables.get(name)
        if there is None:
            return
        self._touches(name)
        self._removes(name)
        if there.table_type == "MANAGED_TABLE" and there.location is not None:
            self._world.storage.delete(there.location)
            self._world.written.pop(there.location, None)

    def renames(self, name: TableName, to: TableName) -> None:
        """ALTER TABLE RENAME TO; MSCK REPAIR TABLE of what may be a clone of older times."""
        there = self._metastore.tables.get(name)
        if there is None or to in self._metastore.tables or there.table_type == "MANAGED_TABLE":
            return
        found = self._world.partitions_below(there.location) if is_tracked(there) else ()
        self._touches(name)
        self._touches(to)
        self._removes(name)
        self._puts(replace(there, name=to))
        self._metastore.kept[to] = {one.values: one for one in found}
        self._world.columns[str(there.location)] = columns_of(there.parameters)

    def clones(self, name: TableName, to: TableName) -> None:
        """SHOW CREATE TABLE, its text under another name, MSCK REPAIR TABLE."""
        there = self._metastore.tables.get(name)
        if there is None or to in self._metastore.tables:
            return
        self._touches(to)
        self._puts(replace(there, name=to, table_type="EXTERNAL_TABLE"))
        found = self._world.partitions_below(there.location)
        self._metastore.kept[to] = {one.values: one for one in found}

    def copies_a_record(self, number: int) -> None:
        """SHOW CREATE TABLE of an entry of one staging schema, its text run in the other."""
        tables = self._metastore.tables
        found = [one for one in tables if one.database == OTHER_SCHEMA and "__" in one.table]
        if not found:
            return
        copied = found[number % len(found)]
        to = TableName(STAGING_SCHEMA, copied.table)
        if to not in tables:
            tables[to] = replace(tables[copied], name=to)

    def _new_table(self) -> TableName:
        return TableName(TARGETS[0].database, self._new_name("other"))

    def _is_anothers(self, there: TableEntry) -> bool:
        """True for a clone: what is written to it would be read in the original."""
        return "ctas-spark" in str(there.location).split("/") and Marker.of(there) is None

    def _writes(self, location: str, *, by_month: bool, month: str = "may") -> str:
        part = f"month={month}/" if by_month else ""
        path = f"{location}/{part}{self._new_name('user')}.parquet"
        self._world.storage.write(path, "rows")
        self._world.is_written(location, path)
        return path

    def _puts(self, there: TableEntry) -> None:
        parameters = {**there.parameters, LAST_DDL_TIME: str(self._world.true_ms // 1000)}
        self._changes(there.name, replace(there, parameters=parameters))

    def _removes(self, name: TableName) -> None:
        self._metastore.kept.pop(name, None)
        self._changes(name, None)

    def _changes(self, name: TableName, now: TableEntry | None) -> None:
        was = self._metastore.tables.pop(name, None)
        if now is not None:
            self._metastore.tables[name] = now
        self._world.watch.left(was, now)

    def _touches(self, name: TableName) -> None:
        self._world.touches[name] += 1

    def _new_name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"
