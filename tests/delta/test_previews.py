"""What a preview takes for writing: Delta's statements, of which Spark's parser says little."""

import pytest

from ctas_spark.engines import commands
from delta.place import Place

WRITING = (
    "RESTORE TABLE {t} TO VERSION AS OF 0",
    "CREATE OR REPLACE TABLE {t}_copy SHALLOW CLONE {t}",
    "OPTIMIZE {t}",
    "VACUUM {t}",
    "EXECUTE IMMEDIATE 'DROP TABLE {t}'",
)
READING = ("SELECT * FROM {t} VERSION AS OF 0", "DESCRIBE HISTORY {t}", "DESCRIBE DETAIL {t}")


@pytest.mark.parametrize("statement", WRITING)
def test_a_statement_that_may_write_is_refused(published: Place, statement: str) -> None:
    """None of them is run to find out."""
    sql = statement.format(t=published.table)
    assert commands.changes_more_than_session(published.spark, sql)


@pytest.mark.parametrize("statement", READING)
def test_a_statement_that_reads_is_let_through(published: Place, statement: str) -> None:
    """A table's history is what its earlier versions are found by."""
    sql = statement.format(t=published.table)
    assert not commands.changes_more_than_session(published.spark, sql)
