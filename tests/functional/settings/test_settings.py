"""What a node sets, uses or registers in its session is its own; the run's is for all."""

import json

import pyspark
from pyspark.sql import SparkSession

from functional.dbt_project import Project

# Spark 3.5 has neither functions in SQL nor session variables.
SPARK_4 = not pyspark.__version__.startswith("3.")
PARTITIONS = "spark.sql.shuffle.partitions"
SEEN = "'${own.one}' as own, '${of.the.run}' as of_run, '${of.header}' as header"
OVERWRITING = """{{ config(materialized='incremental', incremental_strategy='insert_overwrite',
                           partition_by='part', on_schema_change='ignore') }}
select {{ var('n') }} as n, {{ var('n') }} as part"""
MODELS = {
    "models/first.sql": "{{ config(pre_hook=['set own.one = 1', 'use default'],"
    " sql_header='set of.header = 2; create temporary view its_own as select 1 as n;',"
    " post_hook='insert into {{ this }} select * from {{ this }}') }}"
    f"select {SEEN}, own_function(n) as called from its_own",
    "models/then.sql": f"-- {{{{ ref('first') }}}}\nselect {SEEN}, n, own_function(n) as called,"
    f" {'run_variable' if SPARK_4 else 6} as variable from shared",
    "models/after_a_late_change.sql": "{{ config(post_hook='set own.one = 3') }} select 1 as n",
    "models/overwriting.sql": OVERWRITING,
}
AT = "model.batch.event_time_start.strftime('%Y-%m-%d %H:30:00Z')"
BATCHED = f"""{{{{ config(materialized='incremental', incremental_strategy='microbatch',
    event_time='at', batch_size='hour', begin='2026-01-01', partition_by='h',
    pre_hook=['set own.one = 5', 'create temporary view its_own as select 7 as seven']) }}}}
select '${{own.one}}' as own, seven, timestamp('{{{{ {AT} }}}}') as at, '{{{{ {AT} }}}}' as h
from its_own"""
HOURS = "--event-time-start=2026-01-01 05:00:00", "--event-time-end=2026-01-01 08:00:00"
NEGATIVE = "(n int) returns int return -n"
NEGATIVE_OF_HIVE = " as 'org.apache.hadoop.hive.ql.udf.generic.GenericUDFOPNegative'"
START = (
    "set of.the.run = 3",
    "create temporary view shared as select 4 as n",
    f"create temporary function own_function{NEGATIVE if SPARK_4 else NEGATIVE_OF_HIVE}",
    *(["declare variable run_variable = 6"] if SPARK_4 else []),
)
END = (
    "reset of.the.run",
    "drop view shared",
    "drop temporary function own_function",
    *(["drop temporary variable run_variable"] if SPARK_4 else []),
)
PYTHON = """
from threading import Barrier
import builtins

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf


def model(dbt, session):
    dbt.config(materialized="table")
    both = vars(builtins).setdefault("_both_models", Barrier(2, timeout=120))
    both.wait()
    SparkSession.builder.config("own.name", "{name}").appName("{name}").getOrCreate()
    session.createDataFrame([("{name}",)], "n string").createOrReplaceTempView("of_a_python_model")
    session.udf.register("own_name", lambda: "{name}")
    both.wait()
    assert SparkSession.active() is session is SparkSession.builder.getOrCreate()
    query = "select n, own_name() as called, '${{own.name}}' as set from of_a_python_model"
    rows = session.sql(query)
    return rows.withColumn("made", udf(lambda: "{name}")())
"""


def test_a_model_s_settings_are_not_the_next_one_s(project: Project) -> None:
    """Those of its hooks, its header and its strategy; the run's own hooks are for all models.

    So are its views, functions and variables. A hook sees what its model has just published.
    """
    settings = {
        "name": "tested",
        "profile": "tested",
        "on-run-start": list(START),
        "on-run-end": list(END),
        "models": {"+materialized": "table"},
    }
    project.write({"dbt_project.yml": json.dumps(settings), **MODELS})
    for n in (1, 2):
        project.build(n=n)
    first = project.rows("select * from {schema}.first")
    (then,) = project.rows("select * from {schema}.then")
    assert [tuple(one) for one in first] == [("1", "3", "2", -1)] * 2
    assert tuple(then) == ("", "3", "", 4, -4, 6)
    assert len(project.rows("select * from {schema}.overwriting")) == 2
    of_run = SparkSession.active()
    assert of_run.conf.get("spark.sql.sources.partitionOverwriteMode") == "STATIC"
    assert of_run.conf.get("own.one", None) is None
    assert not of_run.catalog.tableExists("its_own")


def test_models_that_run_at_the_same_time_see_nothing_of_each_other(project: Project) -> None:
    """Settings, views and functions of two Python models; each finds its session as the active."""
    names = ("one", "other")
    project.write({f"models/{name}.py": PYTHON.format(name=name) for name in names})
    assert project.dbt("run", "--threads", "2").success
    for name in names:
        assert project.rows(f"select * from {{schema}}.{name}") == [(name,) * 4]
    assert SparkSession.active().conf.get("own.name", None) is None


def test_what_the_run_sets_over_the_profile_stays(project: Project) -> None:
    """For all of its models; the next run begins with the profile's settings again."""
    settings = {"name": "tested", "profile": "tested", "on-run-start": f"set {PARTITIONS} = 7"}
    seen = f"{{{{ config(materialized='table') }}}} select '${{{PARTITIONS}}}' as n"
    files = {"models/one.sql": seen, "models/two.sql": f"-- {{{{ ref('one') }}}}\n{seen}"}
    project.write({"dbt_project.yml": json.dumps(settings), **files})
    project.build()
    both = project.rows("select * from {schema}.one union all select * from {schema}.two")
    assert [row.n for row in both] == ["7", "7"]
    assert project.dbt("show", "--inline", "select 1 as n").success
    assert SparkSession.active().conf.get(PARTITIONS) == project.conf[PARTITIONS]


def test_later_batches_begin_with_what_the_pre_hooks_have_left(project: Project) -> None:
    """As dbt runs those before the first batch alone; the next model has nothing of it."""
    after = "{{ config(materialized='table') }} -- {{ ref('batched') }}\nselect '${own.one}' as own"
    project.write({"models/batched.sql": BATCHED, "models/after.sql": after})
    for _ in (1, 2):
        run = project.dbt("run", *HOURS)
        assert run.success, run.log
        assert project.rows("select own, seven, count(*) from {schema}.batched group by all") == [
            ("5", 7, 3)
        ]
        assert project.rows("select own from {schema}.after") == [("",)]
