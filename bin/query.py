"""Print the answers to SQL queries, in one Spark session.

Run it in the directory of a project whose dbt has ended: an embedded metastore lets in one
process at a time.
"""

import sys

from dbt.adapters.ctas_spark.staging.engines.launch import start_spark


def main(queries: list[str]) -> None:
    """Run and print one query after the other."""
    spark = start_spark({}, "logs")
    for query in queries:
        print(f"\n{query}")
        spark.sql(query).show(n=50, truncate=False)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
