"""What the quoting module writes, Spark's own parser reads back unchanged."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging import quoting
from functional.dbt_project import Project

# A surrogate is no character, and the gateway to the JVM can't carry one.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def test_names_and_literals_survive_spark(project: Project) -> None:
    """Any text is a literal; any text of one character and more is a column name."""
    project.write({})
    assert project.dbt("debug").success  # starts the session
    spark = SparkSession.active()

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(texts, texts.filter(bool))
    def check(value: str, name: str) -> None:
        frame = spark.sql(f"SELECT {quoting.string(value)} AS {quoting.identifier(name)}")
        assert frame.columns == [name]
        assert frame.collect()[0][0] == value

    check()
