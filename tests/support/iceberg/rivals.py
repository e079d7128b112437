"""Other writers of a model's Iceberg table, and what the model holds before and after."""

from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(3)"
NEW = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
NEW_ROWS = [(0, "new", 1), (1, "new", 1)]

WRITES = {
    "insert": ["INSERT INTO {table} VALUES (7, 'theirs')"],
    "replace": ["CREATE OR REPLACE TABLE {table} USING iceberg AS SELECT 7L id, 'theirs' name"],
    "alter": ["ALTER TABLE {table} ADD COLUMNS (theirs int)"],
    "property": ["ALTER TABLE {table} SET TBLPROPERTIES ('theirs' = 'yes')"],
    "drop and create": [
        "DROP TABLE {table}",
        "CREATE TABLE {table} USING iceberg AS SELECT 7L id, 'theirs' name",
    ],
}


def rival(place: Place, statements: list[str]) -> None:
    """Somebody who knows nothing of the protocol."""
    for statement in statements:
        place.spark.sql(statement.format(table=place.table))
