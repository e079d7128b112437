"""A table's entry and Hive's own ``Table`` in Spark's JVM.

It is read as the bytes of one Thrift struct: py4j ends a Java list with an exception, at which
PySpark looks for 16 ms, and takes any other failure for the list's end, too.
"""

from dataclasses import replace
from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import VIEW, TableEntry
from dbt.adapters.ctas_spark.staging.metastore.thrift import entry as thrift_entry
from dbt.adapters.ctas_spark.staging.metastore.thrift.bytes import unpacked


def entry_of(java: Any, name: TableName, table: Any) -> TableEntry:
    """The entry, with the whole object as its ``raw``."""
    data = java.org.apache.thrift.TSerializer().serialize(table)
    return replace(thrift_entry.entry_of(name, unpacked(data)), raw=table)


def changed(change: EntryChange) -> Any:
    """A copy of the staged entry under the target's name, with the base's own fields."""
    staged: Any = change.staged.raw
    table = staged.deepCopy()
    table.setDbName(change.target.database)
    table.setTableName(change.target.table)
    table.getParameters().clear()
    for key, value in change.parameters.items():
        table.putToParameters(key, value)
    if change.base is not None:
        base: Any = change.base.raw
        table.setOwner(base.getOwner())
        table.setCreateTime(base.getCreateTime())
        table.setPrivileges(base.getPrivileges())
        if change.keeps_columns:
            table.getSd().setCols(base.getSd().getCols())
    return table


def scratch_view(java: Any, name: TableName) -> Any:
    """A new entry without a directory, made of Hive's classes in ``java``."""
    api = java.org.apache.hadoop.hive.metastore.api
    storage = api.StorageDescriptor()
    storage.setCols(java.java.util.ArrayList())
    storage.setSerdeInfo(api.SerDeInfo())
    view = api.Table()
    view.setDbName(name.database)
    view.setTableName(name.table)
    view.setTableType(VIEW)
    view.setViewOriginalText("select 1")
    view.setViewExpandedText("select 1")
    view.setSd(storage)
    view.setPartitionKeys(java.java.util.ArrayList())
    view.setParameters(java.java.util.HashMap())
    return view
