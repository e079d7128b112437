"""Tables on S3A, by the magic committer and by the one that Spark has by default."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from ctas_spark.steps import Step
from ctas_spark.storage.committers import PROTOCOL
from ctas_spark.storage.hadoop import HadoopStorage
from faults.moments import before
from real_places.s3 import OnS3

TABLE = "{{{{ config(materialized='table', versions_to_keep=0, grace_period=0{}) }}}}"
QUERY = "select {{ var('n', 1) }} as id, 'x' as day"
PLAIN = TABLE.format("") + QUERY
PARTITIONED = TABLE.format(", partition_by='day'") + QUERY
IN_PLACE = (
    "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', "
    "partition_by='day') }} select 1 as id, 'day {{ var('n', 1) }}' as day"
)
ROUNDS = 5
OF_A_SECOND_ENTRY = 15
"""The metastore looks at the directory of a new table, and so twice: of the version, and of the
table; and a version's directory lies deeper."""
VERSION = ("ctas-spark", "<staging id>", "<table>", "<version id>")
MODE = "spark.sql.sources.partitionOverwriteMode"


def test_each_version_goes_with_all_that_lies_below_it(place: OnS3) -> None:
    """Also where the session overwrites partitions dynamically, which no magic committer can."""
    place.project.write({"models/plain.sql": PLAIN, "models/parted.sql": PARTITIONED})
    for number in (1, 2, 3):
        with place.setting(MODE, "dynamic"):
            place.project.build(n=number)
        assert place.rows("plain") == place.rows("parted") == [(number, "x")]
    keys = place.objects()
    versions = {tuple(key.split("/")[:4]) for key in keys if key.count("/") >= len(VERSION)}
    assert len(versions) == 2, keys
    assert len([key for key in keys if key.endswith(".parquet")]) == 2
    assert not place.server.uploads("")
    shown = place.spark.sql(f"show create table {place.project.schema}.parted").collect()
    assert "overwritemode" not in str(shown).lower()


def test_partitions_are_overwritten_in_place_only_where_the_committer_can(place: OnS3) -> None:
    """Else the model is refused before any job, and atomicity: isolated is the way."""
    place.project.write({"models/m.sql": IN_PLACE})
    place.project.build()
    with place.counting() as counted:
        refused = place.project.dbt("run", n=2)
    assert not refused.success
    assert "Spark refuses that with the magic committer" in refused.message("m")
    assert "atomicity: isolated" in refused.message("m")
    assert not counted["PUT"] + counted["POST"]
    with place.renaming() as renaming:
        renaming.project.write({"models/m.sql": IN_PLACE})
        renaming.project.build(n=3)
    assert place.rows("m") == [(1, "day 1"), (1, "day 3")]
    place.project.write(
        {"models/m.sql": IN_PLACE.replace("'day')", "'day', atomicity='isolated')")}
    )
    place.project.build(n=2)
    assert place.rows("m") == [(1, "day 1"), (1, "day 2"), (1, "day 3")]


def test_uploads_that_were_never_completed_are_ended_with_their_version(place: OnS3) -> None:
    """A killed run leaves them; no listing of objects shows them, and each is paid for."""
    place.project.write({"models/plain.sql": PLAIN})
    place.project.build()
    (version,) = {key.rpartition("/")[0] for key in place.objects() if key.endswith(".parquet")}
    place.server.begin_upload(f"{place.prefix}{version}/part-1")
    place.server.begin_upload(f"{place.prefix}elsewhere/part-1")
    run = place.project.build(n=2)
    assert "1 unfinished uploads below" in run.log
    assert place.server.uploads(place.prefix) == [f"{place.prefix}elsewhere/part-1"]


def test_uploads_of_a_model_that_fails_are_ended_with_it(place: OnS3) -> None:
    """As those of tasks that its job did not commit; the old version stays."""
    place.project.write({"models/plain.sql": PLAIN})
    place.project.build()
    before_it = {key for key in place.objects() if key.endswith(".parquet")}

    def upload_and_fail() -> None:
        (staged,) = {key for key in place.objects() if key.endswith(".parquet")} - before_it
        place.server.begin_upload(f"{place.prefix}{staged.rpartition('/')[0]}/part-1")
        raise RuntimeError("no commit")

    with before(Step.COMMIT, upload_and_fail):
        assert not place.project.dbt("run", n=2).success
    assert place.server.uploads(place.prefix) == []
    assert {key for key in place.objects() if key.endswith(".parquet")} == before_it


def test_of_two_writers_one_creates_a_file(place: OnS3) -> None:
    """The one that says whose a tree of versions is."""
    storage, writers = HadoopStorage(place.spark), ("mine", "theirs")
    for number in range(ROUNDS):
        path, start = f"{place.location}/whose-{number}", Barrier(len(writers))

        def create(text: str, path: str = path, start: Barrier = start) -> bool:
            start.wait()
            return storage.create(path, text)

        with ThreadPoolExecutor(len(writers)) as both:
            created = dict(zip(writers, both.map(create, writers), strict=True))
        assert sorted(created.values()) == [False, True]
        assert created[str(storage.read(path))]
        assert not storage.create(path, "later")


def test_a_model_makes_hardly_more_requests_than_dbt_sparks(place: OnS3) -> None:
    """For a table of one file that is created or replaced; a run adds a constant of its own."""
    counted: dict[str, dict[str, float]] = {}
    for adapter in ("spark", "ctas_spark"):
        models = [f"by_{adapter}_{number}" for number in range(4)]
        place.project.write({f"models/{one}.sql": PLAIN for one in models})
        place.project.write_profile(adapter)
        counted[adapter] = {
            "built": requests_of_a_model(place, models),
            "rebuilt": requests_of_a_model(place, models, n=2),
        }
    ours, theirs = counted["ctas_spark"], counted["spark"]
    assert ours["rebuilt"] <= 1.1 * theirs["rebuilt"], counted
    assert ours["built"] <= theirs["built"] + OF_A_SECOND_ENTRY, counted


def requests_of_a_model(place: OnS3, models: list[str], **variables: object) -> float:
    """What two more models add to a run of one."""
    with place.counting() as of_one:
        assert place.project.dbt("run", "--select", models[0], **variables).success
    with place.counting() as of_three:
        assert place.project.dbt("run", "--select", *models[1:], **variables).success
    return (of_three.total() - of_one.total()) / 2


def test_the_committer_is_shown(place: OnS3) -> None:
    """With the settings of the quick one, where it is the slow one."""
    assert "committer on S3A: magic" in place.project.dbt("debug").log
    with place.renaming() as renaming:
        renaming.project.write({})
        said = renaming.project.dbt("debug").log
    assert "committer on S3A: renaming" in said
    assert f"set {PROTOCOL}" in said
