"""The statements of a publication by statement."""

from dbt.adapters.ctas_spark.staging.context import TableLayout, TableName
from dbt.adapters.ctas_spark.staging.statement.statement import all_of, create_as, replace_as

STAGED = TableName("stg", "t__v", "lake")
TARGET = TableName("db", "t", "lake")


def test_what_is_staged_is_created_with_the_models_clauses() -> None:
    """A format that the model does not name is the catalog's."""
    layout = TableLayout(partition_by=("days(ts)",), properties={"a": "b"}, format_given=False)
    assert create_as(STAGED, layout, {"mark": "c"}, "SELECT 1 ts") == (
        "CREATE TABLE `lake`.`stg`.`t__v`\nPARTITIONED BY (days(`ts`))\n"
        "TBLPROPERTIES ('a' = 'b', 'mark' = 'c')\nAS\nSELECT 1 ts"
    )


def test_a_target_is_replaced_and_never_dropped() -> None:
    """By one statement, which needs it to be there."""
    assert replace_as(TARGET, TableLayout("delta"), {}, all_of(STAGED)) == (
        "REPLACE TABLE `lake`.`db`.`t`\nUSING `delta`\nAS\nSELECT * FROM `lake`.`stg`.`t__v`"
    )
