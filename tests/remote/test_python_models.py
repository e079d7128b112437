"""Python models over Spark Connect: what they set, and PySpark's own functions."""

from pathlib import Path

from remote.files import profile_of, project_at, rows_in
from servers.metastore import Metastore
from servers.remote import RemoteServer

CODED = """
import time

def model(dbt, session):
    HOW
    time.sleep(1)
    return session.sql("select current_timezone() as zone, '${spark.some.text}' as text")
"""
ZONE, TEXT = "spark.sql.session.timeZone", "spark.some.text"
CODES = {
    "Asia/Tokyo": f"spark.conf.set('{ZONE}', 'Asia/Tokyo'); spark.conf.set('{TEXT}', 'a b')",
    "Asia/Seoul": f"session.sql('set {ZONE}=Asia/Seoul'); session.sql('set {TEXT}=a b')",
    "Asia/Dili": f"session.builder.config(map={{'{ZONE}': 'Asia/Dili', '{TEXT}': 'a b'}})"
    ".getOrCreate()",
}
AS_BEFORE = """
{{ config(materialized='table') }}
-- depends_on: {{ ref('EARLIER') }}
select current_timezone() as zone, '${spark.some.text}' as text
"""
ZONED = """
{{ config(materialized='table', sql_header="set spark.sql.session.timeZone=Asia/Tashkent") }}
select current_timezone() as zone, java_method('java.lang.Thread', 'sleep', 1500L) as slept
"""
USUAL = """
import pandas as pd
from pyspark.sql import SparkSession, Window, functions as F
from pyspark.sql.types import LongType

@F.udf(returnType=LongType())
def plus_one(a):
    return a + 1

@F.pandas_udf("long")
def twice(a: pd.Series) -> pd.Series:
    return a * 2

def model(dbt, session):
    spark = SparkSession.builder.appName("usual").getOrCreate()
    assert SparkSession.active().session_id == spark.session_id == session.session_id
    order = Window.orderBy(F.col("id").desc())
    rows = spark.range(1, 3).withColumn("n", F.row_number().over(order))
    return rows.withColumn("one", plus_one("id")).withColumn("two", twice("id"))
"""
ON_PANDAS = """
import pyspark.pandas as ps

def model(dbt, session):
    rows = ps.DataFrame({"id": [1, 2, 3]})
    rows["two"] = rows["id"] * 2
    return rows[rows["id"] > 1]
"""


def test_what_python_models_set_ends_with_them(
    servers: tuple[RemoteServer, Metastore], tmp_path: Path
) -> None:
    """By whatever way; and none runs under what another sets at that time."""
    server, schema = servers[0], "coded"
    files = {"models/beside.sql": ZONED}
    for number, code in enumerate(CODES.values()):
        files[f"models/coded_{number}.py"] = CODED.replace("HOW", code)
        files[f"models/after_{number}.sql"] = AS_BEFORE.replace("EARLIER", f"coded_{number}")
    project = project_at(tmp_path, files, profile_of(*servers, "connect"), schema)
    built = project.dbt("run", "--threads", "4")
    assert built.success, built.log
    before = rows_in(server, f"select current_timezone(), '${{{TEXT}}}'")
    for number, zone in enumerate(CODES):
        assert rows_in(server, f"select * from {schema}.coded_{number}") == [(zone, "a b")]
        assert rows_in(server, f"select * from {schema}.after_{number}") == before
    assert rows_in(server, f"select zone from {schema}.beside") == [("Asia/Tashkent",)]


def test_python_models_use_pyspark_as_in_a_session(
    servers: tuple[RemoteServer, Metastore], tmp_path: Path
) -> None:
    """Functions, builders and pandas on Spark are for the server, in several threads at once."""
    server, schema = servers[0], "usual"
    files = {
        "models/usual.py": USUAL,
        "models/usual_too.py": USUAL,
        "models/on_pandas.py": ON_PANDAS,
        "models/on_pandas_too.py": ON_PANDAS,
    }
    project = project_at(tmp_path, files, profile_of(*servers, "connect"), schema)
    built = project.dbt("run", "--threads", "4")
    assert built.success, built.log
    for model in ("usual", "usual_too"):
        assert rows_in(server, f"select id, n, one, two from {schema}.{model}") == [
            (1, 2, 2, 2),
            (2, 1, 3, 4),
        ]
    for model in ("on_pandas", "on_pandas_too"):
        assert rows_in(server, f"select id, two from {schema}.{model}") == [(2, 4), (3, 6)]
