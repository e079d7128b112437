"""The groups whose classes need nothing of their own here: their files are translated at most."""

from conformance.suite import inherit

for group in (
    "aliases",
    "caching",
    "column_types",
    "concurrency",
    "dbt_debug",
    "empty",
    "query_comment",
    "relations",
    "sample_mode",
    "store_test_failures_tests",
):
    inherit(globals(), group)
