"""What docs/benchmarks.md says around its figures."""

from side_by_side.cases import ARCHIVED, DUCKDB, FLOOR, OURS, QUICK, SQLMESH, STOCK, WARM

HEAD = """# Benchmarks

How long runs take, next to the same work by others on the same machine. Compare the ratios:
absolute times depend on the machine. `python bench/benchmarks_page.py` writes this page from the
raw figures in [bench/results](../bench/results/README.md), and
[bench/README.md](../bench/README.md#benchmarks) has the command that measures each of them.
"""
COMPETITORS = {
    OURS: "this adapter with its defaults, without an archive of Spark's classes",
    ARCHIVED: "the same with [an archive](operations.md#start-spark-faster)",
    QUICK: "the same with Java's quick compiler alone (`-XX:TieredStopAtLevel=1`)",
    WARM: "the same as `ctas_spark` with a Spark that was started before",
    STOCK: "the unchanged dbt-spark with `method: session`",
    FLOOR: "PySpark alone, as the floor: a DROP and a CTAS for each model, in as many threads",
    DUCKDB: "dbt with DuckDB, for what a user feels as fast",
    SQLMESH: "SQLMesh on a Spark session, with its state in a file of DuckDB",
}
METHOD = """
Each build is a process of its own with default settings and four threads, from a cold start in a
new directory, on an embedded metastore. Competitors take turns, in one order and in the next round
in the other. Seconds are medians of the rounds, from the start of the process to its end. "Models
alone" is from the start of the first model to the end of the last. PySpark alone plans no project,
and takes each table away from its readers, as dbt-spark does.
"""
TARGETS = """The project's aims, and what was measured. A ratio below 1 is less than that of the
other.
"""
TRIED = """What was tried: with only the quick compiler (`-XX:TieredStopAtLevel=1`) many small
models are faster, and large ones several times slower, so that is no default. Hadoop's raw local
file system, no `_SUCCESS` files, and Derby without `fsync` made no difference.
"""
LARGE = """One session writes TPC-H's lineitem as Parquet, in turns by a plain CTAS and by one that
is staged, verified and published over the version before it. Publication is all that follows the
CTAS. Memory is the most that the session's JVM, which is driver and executor, had in use.
"""
COMMITS = """A commit lasts from reading the base to having read the target again. What comes
afterwards disturbs no reader: the refresh, and the bookkeeping of tracked partitions.
"""
PROFILE = """Samples of what the threads of the JVM executed (Java Flight Recorder), by the code
that a sample was in.
"""
MACHINES = """Load is the average of the last minute before the run. Busy is the largest share of
all cores that others used just before a build; up to 10% is idle.
"""
SMALL = """Models of one row. The rebuild is over the tables of the first build, and the build with
tests is another rebuild, with two tests a model."""
TPCH = """The 22 queries over TPC-H's tables in Parquet, by their size. These times are no TPC-H
results, and can't be compared with published ones."""
TABLES = "20 models of one row, in a schema with so many other tables."
VERSIONS = "20 models of one row, of which one has so many versions that are kept."

SECTIONS = {
    "small": ("Many small models", SMALL),
    "start": ("Start to the first node", "A project of one model."),
    "tpch": ("TPC-H's queries as models", TPCH),
    "threads": ("Threads", "100 models of one row."),
    "models": ("Projects of many models", "First builds of models of one row."),
    "tables": ("Schemas of many tables", TABLES),
    "versions": ("Tables of many versions", VERSIONS),
}
"""Title and introduction of each question, in the page's order."""
