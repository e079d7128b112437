"""What docs/benchmarks.md says around its figures."""

from side_by_side.cases import ARCHIVED, DUCKDB, FLOOR, NIO, OURS, SQLMESH, STOCK, WARM

HEAD = """# Benchmarks

How long runs take with this adapter, compared with other tools that do the same work on the same
machine. Compare the ratios: absolute times depend on the machine. `python bench/benchmarks_page.py`
writes this page from the raw figures in [bench/results](../bench/results/README.md), and
[bench/README.md](../bench/README.md#benchmarks) has the command that measures each of them. A
section appears once its figures are there.
"""
COMPETITORS = {
    OURS: "this adapter with its defaults, but without an archive of Spark's classes",
    ARCHIVED: "the same with [an archive](operations.md#start-spark-faster)",
    WARM: "`ctas_spark` with [a warm Spark](operations.md#keep-a-spark-warm), started before",
    NIO: "the same, and a library writes files by Java's NIO, "
    "[without processes of `chmod`](operations.md#spare-spark-its-chmod-processes); you have to "
    "add it",
    STOCK: "dbt-spark, unchanged, with `method: session`",
    FLOOR: "PySpark without dbt, as the floor: `DROP` and `CREATE TABLE AS SELECT` (CTAS) for each "
    "model, in as many threads",
    DUCKDB: "dbt with DuckDB, as an example of a fast tool",
    SQLMESH: "SQLMesh on a Spark session, with its state in a file of DuckDB",
}
METHOD = """
Each build is a process of its own, from a cold start, with default settings, four threads and
an embedded metastore. The builds of one competitor in one round share
a new directory. Competitors take turns, in reverse order in every second round. PySpark without dbt
has no project to parse; like dbt-spark, it drops each table before it writes the new one.

| column | meaning |
|---|---|
| seconds | from the start of the process to its end: the median of the rounds |
| from, to | the fastest round and the slowest |
| of dbt-spark | the ratio of the median to that of dbt-spark |
| to the first node | seconds from the start of the process to the start of the first model |
| models alone | seconds from the start of the first model to the end of the last |

An empty cell was not measured.
"""
TARGETS = """The project's aims, and what was measured. A figure with a slash is a ratio: below 1,
the first takes less than the second.
"""
TRIED = """With only Java's quick compiler (`-XX:TieredStopAtLevel=1`), many small models are
faster, but large ones several times slower, so it is not the default. Thresholds that let the
optimizing compiler begin ten times later make no difference, and where its loops begin later
(`Tier4BackEdgeThreshold=400000`), small tables take a little less and long queries a little more.
Directives that keep that compiler away from the code of the metastore and of Spark's planning, code
without profiles (`-C1ProfileCalls` and its like), and fewer profiles (`Tier3DelayOn=0`) don't help.
Derby without `fsync` makes no difference, nor does a larger cache of its statements.

Hive writes the table's name into its statement for compare-and-swap, so Derby compiles it for each
call, and runs it by a scan of the parameters of all tables. A client that compares by itself, under
a lock of its process, avoids that. It was tried and not kept: a call whose answer was lost could
then land after another writer's commit.

Hadoop starts a process of `chmod` for each of the nine files and directories that a model of one
row creates. A published library [does without them](operations.md#spare-spark-its-chmod-processes).
In a warm Spark, it makes the difference between the rows `warm` and `warm, NIO`; during a cold
start it saves little, because the compilers take the time.
"""
LARGE = """One session writes TPC-H's lineitem as Parquet, in turns by a plain CTAS and by one that
is staged, verified and published over the version before it. Publication is everything after the
CTAS. Memory is the most that the session's JVM, which is both driver and executor, had in use.
"""
COMMITS = """Each row is a version of so many files and partitions; tracked says whether
[the metastore knows the partitions](configuration.md#model). The staging ends with a listing of the
version's files, so that a version of which something was deleted is not published. Then comes the
[commit](concepts.md#publication), from reading the base until the target has been read again: its
median, its 95th percentile (p95), and the ratio of the median to that of the first row. A model
that reads its own table has a listing of the old files in it, too. What comes afterwards disturbs
no reader: Spark's refresh of the table, and the bookkeeping of tracked partitions. Nine tenths of
that are Hive's own work for `alter_partitions`: of each partition it reads the old one, and its
table twice.
"""
PROFILE = """The share of samples (Java Flight Recorder) in which the JVM's threads executed each
kind of code.
"""
COMPILERS = """The compilers work in threads of their own, beside the models and on the same {cores}
cores; their seconds are the sum over these threads, waiting for a core included. That is Java's
cost of a cold start: each run compiles the code of Spark, Derby and Hive again. An archive of
classes holds no compiled code; a warm Spark keeps it.
"""
MACHINES = """Commit is the version and the commit of this adapter. Load is the machine's load
average over the minute before the run. Busy is the largest share of all cores that other processes
used just before a build; a machine with up to 10% counts as idle.
"""
SMALL = "Models of one row. A rebuild replaces the tables of the first build."
JAVA_25 = """The 100 models on PySpark 4.3 and Java 25, whose cache of linked classes and of the
profiles of methods takes the place of the archive of classes."""
THRIFT = """The 100 models over one warm Thrift server of Spark with default settings, on a
metastore server on Derby, into a schema of its own for each round; dbt starts cold."""
LOCAL = """The 100 models in sessions of their own on one metastore server on Derby, into a schema
of its own for each round: every call to the metastore crosses a socket."""
STANDALONE = """The same where tasks run on a standalone cluster of a master and two workers, all on
this machine."""
SUBMITTED = """The same cluster, where spark-submit starts dbt and has the settings."""
S3A = """The same on a stand-in for S3 (moto) on this machine, by the {} committer. A request takes
a few milliseconds here, and more over a network."""
HDFS = """The same on HDFS, whose nodes share one JVM on this machine."""
TESTS = """The same, and then a `dbt build` that replaces the tables and runs two tests a model,
`unique` and `not_null`. SQLMesh builds only what has changed, so its models get another query along
with these audits. It reports no times of single models."""
TPCH_JAVA_25 = """The same on PySpark 4.3 and Java 25: whether its cache slows long queries."""
TPCH = """The 22 queries over TPC-H's tables in Parquet, by their size. These times are not TPC-H
results, and can't be compared with published ones."""
MODELS = """First builds of models of one row. What a run takes after its last model is in its
seconds only: four with 5000 models ([another run](../bench/results/run_end-5000.json): five)."""

SECTIONS = {
    "small": ("Many small models", SMALL),
    "small-500": ("More small models", "The same with 500 models."),
    "small-java-25": ("Java 25", JAVA_25),
    "small-500-java-25": ("Java 25 with more small models", "The same with 500 models."),
    "thrift": ("Over a Thrift server", THRIFT),
    "local": ("On a metastore server", LOCAL),
    "standalone": ("On a standalone cluster", STANDALONE),
    "spark-submit": ("Started by spark-submit", SUBMITTED),
    "s3a-magic": ("On S3A, magic committer", S3A.format("magic")),
    "s3a-renaming": ("On S3A, renaming committer", S3A.format("renaming")),
    "hdfs": ("On HDFS", HDFS),
    "small-tests": ("Builds with tests", TESTS),
    "start": ("Start to the first node", "A project of one model."),
    "tpch": ("TPC-H's queries as models", TPCH),
    "tpch-java-25": ("TPC-H's queries on Java 25", TPCH_JAVA_25),
    "tpch-5": ("TPC-H's queries over larger tables", "The same with 5 GB."),
    "models": ("Projects of many models", MODELS),
}
"""Title and introduction of each question, in the page's order."""
