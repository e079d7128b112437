"""What others do to a table whose rows are published by branch, and what is left of that."""

from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(2)"
NEW = "SELECT id, 'new' AS name FROM range(5)"
NEW_ROWS = [(number, "new") for number in range(5)]
INSERT = "INSERT INTO {table} VALUES (7, 'theirs')"
REPLACE = "CREATE OR REPLACE TABLE {table} USING iceberg AS SELECT 7L AS id, 'theirs' AS name"
MERGE = (
    "MERGE INTO {table} t USING (SELECT 7L AS id, 'theirs' AS name) s ON t.id = s.id "
    "WHEN NOT MATCHED THEN INSERT *"
)
RIVALS = {
    "insert": [INSERT],
    "delete": ["DELETE FROM {table} WHERE id = 0"],
    "merge": [MERGE],
    "replace": [REPLACE],
    "add column": ["ALTER TABLE {table} ADD COLUMN theirs INT"],
    "property": ["ALTER TABLE {table} SET TBLPROPERTIES ('theirs' = 'yes')"],
    "drop and create": ["DROP TABLE {table}", REPLACE],
}
UPKEEP = {
    "compaction": "rewrite_data_files(table => '{path}', options => map('rewrite-all', 'true'))",
    "manifests": "rewrite_manifests('{path}')",
    "expiry": "expire_snapshots(table => '{path}', older_than => timestamp '2100-01-01')",
}


def run(place: Place, *statements: str) -> None:
    """What somebody else's session does."""
    session = place.spark.newSession()
    for statement in statements:
        session.sql(statement.format(table=place.table, path=f"{place.schema}.t"))


def refs(place: Place) -> list[object]:
    """The names of the target's branches and tags."""
    found = place.spark.newSession().sql(f"SELECT name FROM {place.table}.refs").collect()
    return sorted(row.name for row in found)
