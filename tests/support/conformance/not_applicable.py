"""The classes of dbt's suite that can't apply to Spark: why, and what shows it."""

from collections.abc import Mapping

JAVASCRIPT = (
    "Spark has no functions in JavaScript: CREATE FUNCTION ... LANGUAGE javascript says "
    "'Unsupported language for user defined functions'"
)
AGGREGATE = (
    "Spark has no CREATE AGGREGATE FUNCTION (PARSE_SYNTAX_ERROR at 'aggregate'), and a function in "
    "SQL can't aggregate (USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS)"
)
PYTHON = (
    "Spark 4.1 stores no function in Python: CREATE FUNCTION ... LANGUAGE python says 'Unsupported "
    "language for user defined functions'; the suite's own class for that, PythonUDFNotSupported, "
    "is run instead"
)
GRANTS = (
    "Spark has no privileges: GRANT is INVALID_STATEMENT_OR_CLAUSE, and SHOW GRANTS no syntax; "
    "what a user is told first is shown by grants.test_invalid_grants.BaseInvalidGrants"
)
MATERIALIZED_VIEW = (
    "Spark's catalogs have no materialized views: CREATE MATERIALIZED VIEW is for declarative "
    "pipelines only (UNSUPPORTED_FEATURE.CREATE_PIPELINE_DATASET_QUERY_EXECUTION)"
)
CASCADE = (
    "asserts that a full refresh of a seed drops the view that reads it, as PostgreSQL's DROP "
    "CASCADE does; Spark's views don't depend on their tables, and this adapter never drops one"
)
ALTERED = (
    "two of its models change a seed's table in place: one drops a column, one replaces a column "
    "by one of another type; Spark refuses ALTER TABLE DROP COLUMN for tables of files "
    "(UNSUPPORTED_FEATURE.TABLE_OPERATION), and Delta without a mapping of columns "
    "(DELTA_UNSUPPORTED_DROP_COLUMN)"
)
KOALAS = (
    "one of its four models imports databricks.koalas, which was for Spark 3.1 and older, and is "
    "pyspark.pandas by now; dbt-spark's own class leaves that model out, and passes here"
)
AWARE = (
    "the suite says: use BaseCurrentTimestampAware or BaseCurrentTimestampNaive but not both; "
    "PySpark returns datetimes without a zone, so BaseCurrentTimestampNaive is run"
)

_FUNCTIONS = "functions.test_udfs"
NOT_APPLICABLE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "functions.test_js_udfs.BasicJSAggregateUDF",
            "functions.test_js_udfs.BasicJSUDF",
            "functions.test_js_udfs.JSAggregateUDFVolatilityIgnored",
            "functions.test_js_udfs.JSUDFDefaultArgSupport",
            "functions.test_js_udfs.JSUDFDeterministicVolatility",
            "functions.test_js_udfs.JSUDFMultiLineBody",
            "functions.test_js_udfs.JSUDFNonDeterministicVolatility",
            "functions.test_js_udfs.JSUDFStableVolatilityWarns",
        ),
        JAVASCRIPT,
    ),
    **dict.fromkeys(
        (
            "functions.test_udafs.BasicPythonUDAF",
            "functions.test_udafs.BasicSQLUDAF",
            "functions.test_udafs.PythonUDAFDefaultArgSupport",
            "functions.test_udafs.UDAFBase",
        ),
        AGGREGATE,
    ),
    **dict.fromkeys(
        (
            f"{_FUNCTIONS}.PythonUDFDefaultArgSupport",
            f"{_FUNCTIONS}.PythonUDFSupported",
            f"{_FUNCTIONS}.PythonUDFVolatilitySupport",
            f"{_FUNCTIONS}.PythonUDFWithPackagesSupported",
        ),
        PYTHON,
    ),
    **dict.fromkeys(
        (
            "grants.test_incremental_grants.BaseIncrementalGrants",
            "grants.test_incremental_grants.TestIncrementalGrants",
            "grants.test_model_grants.BaseModelGrants",
            "grants.test_model_grants.TestModelGrants",
            "grants.test_seed_grants.BaseSeedGrants",
            "grants.test_seed_grants.TestSeedGrants",
            "grants.test_snapshot_grants.BaseSnapshotGrants",
            "grants.test_snapshot_grants.TestSnapshotGrants",
        ),
        GRANTS,
    ),
    **dict.fromkeys(
        (
            "materialized_view.basic.MaterializedViewBasic",
            "materialized_view.changes.MaterializedViewChanges",
            "materialized_view.changes.MaterializedViewChangesApplyMixin",
            "materialized_view.changes.MaterializedViewChangesContinueMixin",
            "materialized_view.changes.MaterializedViewChangesFailMixin",
            "simple_copy.test_simple_copy.SimpleCopyBase",
            "simple_copy.test_simple_copy.TestSimpleCopyBase",
        ),
        MATERIALIZED_VIEW,
    ),
    **dict.fromkeys(
        (
            "simple_seed.test_seed.BaseBasicSeedTests",
            "simple_seed.test_seed.BaseSeedConfigFullRefreshOn",
            "simple_seed.test_seed.TestBasicSeedTests",
            "simple_seed.test_seed.TestSeedConfigFullRefreshOn",
        ),
        CASCADE,
    ),
    "python_model.test_spark.BasePySparkTests": KOALAS,
    "empty.test_empty.MetadataWithEmptyFlag": ALTERED,
    **dict.fromkeys(
        (
            "utils.test_current_timestamp.BaseCurrentTimestampAware",
            "utils.test_current_timestamp.TestCurrentTimestamp",
        ),
        AWARE,
    ),
}
