"""What the quoting module writes, Spark's own parser reads back unchanged."""

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from ctas_spark import quoting
from ctas_spark.context import TableLayout, TableName
from ctas_spark.engines import jvm
from ctas_spark.publish import ddl
from functional.odd_project import ODD

# A surrogate is no character, and the gateway to the JVM can't carry one.
characters = st.characters(exclude_categories=["Cs"])
texts = st.text(st.one_of(characters, st.sampled_from("'\"`\\\n;${}%-/*.")), max_size=30)
# Spark replaces variables in backticks, too, and a configuration with one is refused.
names = texts.filter(lambda name: name and "${" not in name)
# Spark takes some keys of TBLPROPERTIES for clauses, and a configuration with one is refused.
mappings = st.dictionaries(texts.map("x{}".format), texts, max_size=3)
layouts = st.builds(
    TableLayout,
    partition_by=st.lists(names, max_size=2).map(tuple),
    clustered_by=st.lists(names, min_size=1, max_size=2).map(tuple),
    sorted_by=st.lists(names, max_size=2).map(tuple),
    buckets=st.just(3),
    comment=texts,
    options=mappings,
    properties=mappings,
)
many = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def test_names_and_literals_survive_spark(spark: SparkSession) -> None:
    """Any text is a literal; any text of one character and more is a column name."""

    @many
    @given(texts, names)
    def check(value: str, name: str) -> None:
        frame = spark.sql(f"SELECT {quoting.string(value)} AS {quoting.identifier(name)}")
        assert frame.columns == [name]
        assert frame.collect()[0][0] == value

    check()


def test_every_clause_of_a_ctas_survives_spark(spark: SparkSession) -> None:
    """Names, location, comment, options and properties are read as they were given."""

    @many
    @given(names, names, texts.filter(bool), layouts)
    def check(database: str, table: str, location: str, layout: TableLayout) -> None:
        name = TableName(database, table)
        text = ddl.create_table_as(name, location, layout, {"own": ODD}, "SELECT 1 AS n")
        assert parsed(spark, text) == {
            "name": ["spark_catalog", database, table],
            "location": location,
            "comment": layout.comment,
            "properties": {**layout.properties, "own": ODD},
            "options": dict(layout.options),
            "columns": [*layout.partition_by, *layout.clustered_by, *layout.sorted_by],
        }

    check()


def parsed(spark: SparkSession, text: str) -> Mapping[str, Any]:
    """The parts of a CTAS as Spark's parser holds them, before anything is looked up."""
    parser = spark._jsparkSession.sessionState().sqlParser()  # noqa: SLF001 (no public way)
    sql = jvm.classes(spark).org.apache.spark.sql
    substituted = sql.internal.VariableSubstitution().substitute(text)
    plan = parser.parsePlan(substituted)
    spec = plan.tableSpec()
    references = [each for part in listed(plan.partitioning()) for each in part.references()]
    return {
        "name": listed(plan.name().nameParts()),
        "location": spec.location().get(),
        "comment": spec.comment().get(),
        "properties": dict(pair(each) for each in listed(spec.properties().toSeq())),
        "options": {
            key: value.value().toString()
            for key, value in map(pair, listed(spec.optionExpression().options()))
        },
        "columns": [name for each in references for name in each.fieldNames()],
    }


def pair(scala: Any) -> tuple[str, Any]:
    """A Scala pair as a tuple."""
    return scala.productElement(0), scala.productElement(1)


def listed(sequence: Any) -> list[Any]:
    """A Scala sequence as a list."""
    return [sequence.apply(position) for position in range(sequence.size())]
