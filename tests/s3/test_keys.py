"""What a user reads whose key of S3's may not do all in a bucket."""

from collections.abc import Iterator

import pytest

from ctas_spark.engines import jvm
from ctas_spark.storage.hadoop import HadoopStorage
from real_places.s3 import OnS3
from servers.s3_guard import Key, another_key, deletes, nothing, writes

BUCKET = "shared"
MODEL = (
    f"{{{{ config(materialized='table', location_root='s3a://{BUCKET}/tables', "
    "versions_to_keep=0, grace_period=0) }} select {{ var('n') }} as id"
)


@pytest.fixture
def key(place: OnS3) -> Iterator[Key]:
    """That of the session, for another bucket."""
    place.server.client.create_bucket(Bucket=BUCKET)
    with another_key(place.server.port) as made:
        hadoop = jvm.hadoop_configuration(place.spark)
        hadoop.set(f"fs.s3a.bucket.{BUCKET}.endpoint", made.endpoint)
        HadoopStorage(place.spark).exists(f"s3a://{BUCKET}/")  # Hadoop keeps what was set then
        yield made


def test_a_key_that_may_not_do_all_is_refused_by_name(place: OnS3, key: Key) -> None:
    """Whose write or whose delete is refused; its table stays, and another key goes on."""
    place.project.write({"models/m.sql": MODEL})
    place.project.build(n=1)
    before = objects(place)
    for refused, said in ((writes, "write"), (deletes, "delete")):
        key.refused = refused
        run = place.project.dbt("run", n=2)
        assert not run.success, run.log
        assert f"the storage refused to {said} s3a://{BUCKET}/tables/" in run.message("m")
        assert "give the user who runs dbt the right to do that" in run.message("m")
        assert [one for one in objects(place) if ".clock-" not in one] == before
        assert place.rows("m") == [(1,)]
    key.refused = nothing
    place.project.build(n=3)
    assert place.rows("m") == [(3,)]


def objects(place: OnS3) -> list[str]:
    """All that lie in the bucket."""
    listed = place.server.client.list_objects_v2(Bucket=BUCKET)
    return [one["Key"] for one in listed.get("Contents", ())]
