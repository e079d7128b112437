"""Tables of files over a server: staged by its SQL, published by a call of its metastore."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from dbt_common.events.contextvars import get_node_info
from pyspark import SparkContext

from ctas_spark import Atomicity, save_as
from ctas_spark.engines.thrift.line import Line
from ctas_spark.engines.thrift.results import LostAnswerError
from functional.dbt_project import Project
from long import long
from remote.place import METHODS
from servers.metastore import Metastore, running_metastore
from servers.remote import RemoteServer

MODEL = """
{{ config(materialized='table', versions_to_keep=3,
          persist_docs={'relation': true, 'columns': true}) }}
select id, cast('{{ var("name") }}' as string) as name
  {% if var("more", false) %}, array(struct(1.5bd as d)) as more {% endif %}
from range(3)
{% if var("fails", false) %} where cast(raise_error('no ' || id) as boolean) {% endif %}
"""
GROWN = """
{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge',
          atomicity='isolated') }}
select id, '{{ var("name") }}' as name from range({{ var("first", 0) }}, {{ var("first", 0) }} + 2)
"""
KEPT = """
{% snapshot kept %}
{{ config(strategy='check', unique_key='id', check_cols=['name']) }}
select 1 as id, '{{ var("name") }}' as name
{% endsnapshot %}
"""
SWAPPED = """
{{ config(materialized=var('as', 'table')) }} select '{{ var("name") }}' as name
"""
BOUND = """
{{ config(materialized='table') }}
select id, if(id < {{ var("known", 3) }}, '{{ var("name") }}', null) as name from range(3)
"""
SCORED = """
def model(dbt, session):
    dbt.config(materialized="table")
    return dbt.ref("model").selectExpr("id", "id * 2 as score")
"""
PARTS = """
{{ config(materialized='table', partition_by='day') }}
select '{{ var("name") }}' as name, 1 as day
"""
FLOWING = """
def model(dbt, session):
    dbt.config(materialized="incremental", atomicity="isolated")
    return session.readStream.format("rate").load()
"""
DOCS = """
models:
  - {name: model, description: a model, columns: [{name: id, description: its number}]}
  - name: bound
    config: {contract: {enforced: true}}
    columns:
      - {name: id, data_type: bigint}
      - {name: name, data_type: string, constraints: [{type: not_null}]}
"""
PROJECT = {
    "models/model.sql": MODEL,
    "models/bound.sql": BOUND,
    "models/grown.sql": GROWN,
    "models/swapped.sql": SWAPPED,
    "models/schema.yml": DOCS,
    "snapshots/kept.sql": KEPT,
    "seeds/seeded.csv": "id,name\n1,a\n2,b\n",
}
READS = "{{ config(materialized='table') }} select count(*) as n from {{ this.schema }}.own"
OWN = """
{{ config(materialized='table', pre_hook='select 1 as moment') }} -- {{ ref('reads') }}
select * from {{ this }}
"""
OF_A_REBUILD = ("EXPLAIN", "CREATE", "SELECT", "REFRESH")
"""Whether the query reads its own table; the CTAS; the last listing; what is to be forgotten."""
_numbers = itertools.count(1)
PUBLISHED = ("model", "bound", "grown", "kept", "seeded")


ONLY_CONNECT = pytest.mark.parametrize("method", ["connect"])
MOSTLY_THRIFT = pytest.mark.parametrize("method", [long("connect"), "thrift"])
ONLY_THRIFT = pytest.mark.parametrize("method", ["thrift"])


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> str:
    """Spark Connect, and Thrift."""
    return str(request.param)


@dataclass(frozen=True, slots=True)
class Place:
    """A project in a schema of its own, and the servers that it uses."""

    project: Project
    server: RemoteServer
    metastore: Metastore
    method: str

    def write_profile(self, **fields: object) -> None:
        """The profile, with other values for some fields."""
        own = {**self.server.profile(self.method), "metastore": self.metastore.uri}
        self.project.write_profile("ctas_spark", **{**own, **fields})

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """What a new session of somebody else's reads."""
        session = self.server.new_session()
        try:
            found = session.sql(query.format(schema=self.project.schema)).collect()
            return sorted(tuple(row) for row in found)
        finally:
            session.stop()


@pytest.fixture
def place(servers: tuple[RemoteServer, Metastore], tmp_path: Path, method: str) -> Place:
    """The project, over Spark Connect and over Thrift."""
    made = Place(Project(tmp_path, f"shop_{next(_numbers)}", {}), *servers, method)
    made.project.write(PROJECT)
    made.write_profile()
    return made


def test_a_project_of_files_is_built_and_rebuilt(place: Place) -> None:
    """As in a session: at `isolated`, with history, rollback and clean-up, and without a JVM."""
    project = place.project
    first = project.dbt("build", name="one")
    assert first.success, first.log
    for name in PUBLISHED:
        assert first.response(name)["atomicity"] == "isolated", name
        assert first.response(name)["commit_strategy"] == "create", name
    assert place.rows("select name, count(*) from {schema}.model group by 1") == [("one", 3)]

    second = project.dbt("build", name="two", first=1)
    assert second.success, second.log
    for name in PUBLISHED:
        promised = ("commit_strategy", "atomicity", "conflict_check", "reader_window")
        found = tuple(second.response(name)[key] for key in promised)
        assert found == ("swap", "isolated", "cas", "none"), name
    assert place.rows("select name, count(*) from {schema}.model group by 1") == [("two", 3)]
    assert place.rows("select * from {schema}.grown") == [(0, "one"), (1, "two"), (2, "two")]
    kept = place.rows("select name, dbt_valid_to is null from {schema}.kept")
    assert kept == [("one", False), ("two", True)]
    assert SparkContext._gateway is None  # noqa: SLF001 (no JVM was started here)


@MOSTLY_THRIFT
def test_what_a_session_promises_is_kept(place: Place) -> None:
    """Failing models, contracts, new columns, rows of others, views, rollback and vacuum."""
    project = place.project
    project.dbt("build", name="one")
    failed = project.dbt("run", "--select", "model", "bound", name="bad", fails=True, known=2)
    for name in ("model", "bound"):
        assert "still holds version" in failed.message(name)
        assert place.rows(f"select distinct name from {{schema}}.{name}") == [("one",)]
    assert "[CONSTRAINT_VIOLATION]" in failed.message("bound")

    changed = project.dbt("run", "--select", "model", name="two", more=True)
    assert changed.response("model")["atomicity"] == "atomic", "one read may mix two versions"
    place.write_profile(metastore_reads="repeatable")
    changed = project.dbt("run", "--select", "model", name="three")
    assert changed.response("model")["atomicity"] == "isolated"
    described = place.rows("describe {schema}.model")
    assert described == [("id", "bigint", "its number"), ("name", "string", None)]

    for kind, name in (("view", "as a view"), ("view", "altered"), ("table", "a table again")):
        swapped = project.dbt("run", "--select", "swapped", **{"as": kind, "name": name})
        assert swapped.success, swapped.log
        assert place.rows("select name from {schema}.swapped") == [(name,)]

    history = project.dbt("run-operation", "ctas_history", "--args", "{model: model, json: true}")
    shown = json.loads(history.log[history.log.index("[{") : history.log.rindex("}]") + 2])
    assert [one["state"] for one in shown] == ["live", "kept", "kept"]
    rolled = project.dbt("run-operation", "ctas_rollback", "--args", "{model: model}")
    assert rolled.success, rolled.log
    assert place.rows("select distinct name, size(more) from {schema}.model") == [("two", 1)]

    vacuum = project.dbt("run-operation", "ctas_vacuum", "--args", "{older_than: 0}")
    assert vacuum.success, vacuum.log
    assert "deleted" in vacuum.log
    recover = project.dbt("run-operation", "ctas_recover", "--args", "{model: model}")
    assert recover.success, recover.log
    assert place.rows("select distinct name, size(more) from {schema}.model") == [("two", 1)]


@ONLY_THRIFT
def test_a_rebuild_sends_no_statement_that_nothing_needs(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the second model of a run: the first one asks what holds for all."""
    second = ("run", "--select", "swapped", "second")
    place.project.write({"models/second.sql": f"-- {{{{ ref('swapped') }}}}\n{SWAPPED}"})
    place.write_profile(threads=1)
    assert place.project.dbt(*second, name="one").success
    sent: list[tuple[str, str]] = []
    with watched(monkeypatch, lambda node, statement: sent.append((node, statement.split()[0]))):
        assert place.project.dbt(*second, name="two").success
    assert tuple(word.upper() for node, word in sent if node == "second") == OF_A_REBUILD
    assert [word for node, word in sent if not node].count("show") <= 2  # schemas; no tables
    assert place.rows("select name from {schema}.second") == [("two",)]


@ONLY_THRIFT
def test_a_lost_answer_of_a_ctas_is_looked_up(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record proves that the statement has ended; with partitions to add, nothing does."""
    place.project.write({"models/parts.sql": PARTS})
    place.write_profile()
    assert place.project.dbt("run", "--select", "model", "parts", name="one").success
    execute = Line.execute

    def losing(line: Line, session: object, statement: str) -> object:
        handle = execute(line, session, statement)
        if "CREATE TABLE" in statement:
            raise LostAnswerError("the Thrift server did not answer ExecuteStatement: cut")
        return handle

    monkeypatch.setattr(Line, "execute", losing)
    run = place.project.dbt("run", "--select", "model", "parts", name="two")
    assert run.response("model")["atomicity"] == "isolated"
    assert "model: the server's answer to the statement that stages the version was lost" in run.log
    assert "[ANSWER_LOST]" in run.message("parts")
    assert place.rows("select distinct name from {schema}.model") == [("two",)]
    assert place.rows("select distinct name from {schema}.parts") == [("one",)]


@ONLY_THRIFT
def test_a_model_that_reads_its_own_table_reads_what_is_there(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its session has read of the table before another writer changed it."""
    schema, other = place.project.schema, place.server.new_session()
    other.sql(f"create schema {schema}")
    for name in ("own", "others"):
        other.sql(f"create table {schema}.{name} using parquet as select '{name}' as name")
    files = other.sql(f"select input_file_name() as path from {schema}.others").collect()
    moved = f"alter table {schema}.own set location '{files[0]['path'].rpartition('/')[0]}'"
    place.project.write({"models/reads.sql": READS, "models/own.sql": OWN})
    place.write_profile(threads=1)

    def change(_: str, statement: str) -> None:
        if statement == "select 1 as moment":
            other.sql(moved)

    with watched(monkeypatch, change):
        built = place.project.dbt("run", "--select", "reads", "own", name="x")
    other.stop()
    assert built.success, built.log
    assert place.rows("select * from {schema}.own") == [("others",)]


@contextmanager
def watched(patch: pytest.MonkeyPatch, tell: Callable[[str, str], None]) -> Iterator[None]:
    """Tell each statement before it is sent, without dbt's comment, and the node that sends it."""
    execute = Line.execute

    def telling(line: Line, session: object, statement: str) -> object:
        text = re.sub(r"/\*.*?\*/", "", statement).strip()
        tell(str(get_node_info().get("node_name", "")), text)
        return execute(line, session, statement)

    with patch.context() as block:
        block.setattr(Line, "execute", telling)
        yield


@ONLY_CONNECT
def test_a_dataframe_is_published(place: Place) -> None:
    """Of a Python model, and of `save_as`, which is told the metastore's address."""
    place.project.write({"models/scored.py": SCORED})
    place.write_profile()
    built = place.project.dbt("run", "--select", "model", "scored", name="one")
    assert built.success, built.log
    assert built.response("scored")["atomicity"] == "isolated"
    assert place.rows("select sum(score) from {schema}.scored") == [(6,)]
    session = place.server.new_session()
    try:
        writer = save_as(session.range(4), f"{place.project.schema}.saved")
        done = writer.option("metastore", place.metastore.uri).create_or_replace()
    finally:
        session.stop()
    assert done.atomicity is Atomicity.ISOLATED
    assert place.rows("select count(*) from {schema}.saved") == [(4,)]


@ONLY_CONNECT
def test_a_stream_is_refused_by_name(place: Place) -> None:
    """Its checkpoint is copied by a Spark in dbt's own process."""
    place.project.write({"models/flowing.py": FLOWING})
    place.write_profile()
    message = place.project.dbt("run", "--select", "flowing", name="one").message("flowing")
    assert "method: a stream's checkpoint is published with its rows" in message


@ONLY_CONNECT
def test_debug_tries_the_metastore(place: Place, tmp_path: Path) -> None:
    """It names the line that the profile lacks, or what is wrong with the one that it has."""
    place.project.build(name="one")
    found = place.project.dbt("debug")
    assert found.success
    assert f"metastore: Hive, at {place.metastore.uri}, over Thrift" in found.log
    reached = "atomicity of parquet: up to isolated, conflict check cas"
    assert f"{reached} (docs/catalogs.md: Hive with compare-and-swap" in found.log
    place.write_profile(metastore=None)
    lacking = place.project.dbt("debug")
    line = f"add metastore: {place.metastore.uri} to the profile"
    assert f"for tables of files at isolated, {line}" in lacking.log
    assert line in place.project.dbt("run", name="x").message("model")
    place.write_profile(metastore="thrift://127.0.0.1:1")
    down = place.project.dbt("debug")
    assert not down.success
    assert "the metastore of this profile does not answer" in down.log
    with running_metastore(tmp_path / "other", tmp_path / "warehouse") as other:
        place.write_profile(metastore=other.uri)
        foreign = place.project.dbt("run", "--select", "model", name="two")
        assert "is not the metastore of the Spark server" in foreign.message("model")
        debugged = place.project.dbt("debug")
        assert not debugged.success
        assert "is not the metastore of the Spark server" in debugged.log
    assert place.rows("select distinct name from {schema}.model") == [("one",)]
