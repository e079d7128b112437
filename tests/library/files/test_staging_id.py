"""A staging schema has a tree of its own on a storage, and touches nobody else's."""

import json
import logging
from collections.abc import Collection
from dataclasses import replace

import pytest

from ctas_spark.context import TableLayout, TableName
from ctas_spark.errors import (
    MetastoreError,
    NoSuchSchemaError,
    StagingSchemaError,
)
from ctas_spark.files.directories import FILE, VersionRoots
from ctas_spark.files.staging_entry import STAGING_ID
from ctas_spark.retention.rules import MovedMetastore, Reason
from ctas_spark.storage.client import AccessDeniedError
from fakes.metastore import FakeMetastore
from fakes.world import (
    ADDRESS,
    AT_ONCE,
    CONTEXT,
    STAGING_SCHEMA,
    TARGET_NAME,
    World,
    version_of,
)

FOLDER = "file:/warehouse/shop.db/ctas-spark"
MOVED_TO = "thrift://elsewhere:9083"
SAME = replace(AT_ONCE, moved=MovedMetastore.SAME)
CLONE = replace(AT_ONCE, moved=MovedMetastore.CLONE)


def roots(world: World, address: str = ADDRESS, schema: str = STAGING_SCHEMA) -> VersionRoots:
    """What one run knows."""
    return VersionRoots(world.metastore, world.storage, address, schema)


def id_of(world: World) -> str:
    """The staging id that the metastore holds."""
    return world.metastore.tables[TableName(STAGING_SCHEMA, STAGING_ID)].parameters[STAGING_ID]


def test_a_root_has_staging_id_and_table(world: World) -> None:
    """All runs of a staging schema share it, whatever they spell in upper case."""
    root = roots(world).root_of(CONTEXT)
    assert root == f"{FOLDER}/{id_of(world)}/shop.orders"
    upper = replace(CONTEXT, target=TableName("shop", "ORDERS"))
    assert roots(world).root_of(upper) == root


def test_the_tree_has_the_id_and_the_address(world: World) -> None:
    """They are there before the first version is staged."""
    roots(world).root_of(CONTEXT)
    told = json.loads(world.storage.texts[f"{FOLDER}/{id_of(world)}/{FILE}"])
    assert told == {"staging_id": id_of(world), "metastore": ADDRESS}


def test_a_location_root_has_a_tree_of_its_own(world: World) -> None:
    """It is below that directory, and the schema's location is not asked for."""
    layout = TableLayout(location_root="s3a://bucket/data/")
    root = roots(world).root_of(replace(CONTEXT, layout=layout))
    assert root == f"s3a://bucket/data/ctas-spark/{id_of(world)}/shop.orders"
    assert "database_location" not in world.metastore.calls


def test_a_location_root_without_a_scheme_gets_that_of_its_file_system(world: World) -> None:
    """So it is known how exact a listing of it is."""
    run, context = roots(world), replace(CONTEXT, layout=TableLayout(location_root="/data"))
    root = f"file:/data/ctas-spark/{run.staging.made().parameters[STAGING_ID]}/shop.orders"
    assert run.root_of(context) == root
    assert root in run.known(context)


def test_directories_are_made_like_the_one_in_which_they_lie(world: World) -> None:
    """At the usual umask they would be their first writer's alone, whatever its group may do."""
    root = roots(world).root_of(CONTEXT)
    tree = root.rpartition("/")[0]
    schema = FOLDER.rpartition("/")[0]
    assert world.storage.permissions == dict.fromkeys((FOLDER, tree, root), schema)


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("hdfs://node/shop.db", "hdfs dfs -chmod -R g+w hdfs://node/shop.db/ctas-spark"),
        ("file:/shop.db", "chmod -R g+w /shop.db/ctas-spark"),
    ],
)
def test_a_directory_that_only_its_owner_may_write_in_is_an_error(
    folder: str, command: str, world: World
) -> None:
    """It has the one command that opens the directories of another user to the group."""
    context = replace(CONTEXT, layout=TableLayout(location_root=folder))
    first = roots(world)
    first.root_of(context)
    world.storage.closed.add(f"{folder}/ctas-spark")
    world.storage.write(f"{folder}/ctas-spark/x", "")
    with pytest.raises(AccessDeniedError, match="may not write in") as caught:
        roots(world).root_of(context)
    assert caught.value.remedy.endswith(f"to run: {command}")


def test_who_may_not_write_in_the_schemas_directory_is_told_so(world: World) -> None:
    """There is nothing of ours to open yet."""
    world.storage.closed.add(FOLDER)
    with pytest.raises(AccessDeniedError) as caught:
        roots(world).root_of(CONTEXT)
    assert "give this user the right to write in file:/warehouse/shop.db" in caught.value.remedy


def test_of_two_that_claim_a_tree_one_gets_it(world: World) -> None:
    """Two clones that stage for the first time at once would else share it."""
    create, late = world.storage.create, roots(world, MOVED_TO)

    def raced(path: str, text: str) -> bool:
        world.storage.create = create  # type: ignore[method-assign]
        roots(world).root_of(CONTEXT)
        return create(path, text)

    world.storage.create = raced  # type: ignore[method-assign]
    assert late.root_of(CONTEXT) != roots(world).root_of(CONTEXT)


def test_everything_is_looked_up_once_for_a_run(world: World) -> None:
    """The second model asks neither metastore nor storage."""
    run = roots(world)
    run.root_of(CONTEXT)
    calls = list(world.metastore.calls)
    run.root_of(CONTEXT)
    assert world.metastore.calls == calls


def test_one_of_two_first_runs_makes_the_id(world: World) -> None:
    """The loser of the race takes the winner's."""
    made = roots(world)

    def rival(call: str) -> None:
        if call == "create_table":
            world.metastore.before = lambda _call: None
            roots(world).root_of(CONTEXT)

    world.metastore.before = rival
    assert made.root_of(CONTEXT) == roots(world).root_of(CONTEXT)


def test_an_id_that_is_gone_again_is_an_error(world: World) -> None:
    """Another has dropped the staging schema under the run."""

    def drop(call: str) -> None:
        if call == "get_table":
            world.metastore.tables.pop(TableName(STAGING_SCHEMA, STAGING_ID), None)

    world.metastore.before = drop
    with pytest.raises(MetastoreError, match="was created a moment ago, and is gone already"):
        roots(world).root_of(CONTEXT)


def test_compare_and_swap_is_probed_on_the_entry_of_the_id(world: World) -> None:
    """Once the entry is there, a run makes none, and a kill leaves none."""
    roots(world).root_of(CONTEXT)
    before = dict(world.metastore.tables)
    world.metastore.calls.clear()
    world.catalog().services(STAGING_SCHEMA).roots.root_of(CONTEXT)
    assert world.metastore.tables == before
    assert world.metastore.calls.count("get_table") == 1
    assert "create_table" not in world.metastore.calls


def test_a_missing_schema_is_an_error(world: World) -> None:
    """It names the statement that makes it."""
    lost = replace(CONTEXT, target=TableName("lost", "orders"))
    with pytest.raises(NoSuchSchemaError, match="lost"):
        roots(world).root_of(lost)


def test_an_entry_without_an_id_is_an_error(world: World) -> None:
    """Somebody else's table of that name, or a broken one, is not guessed at."""
    roots(world).root_of(CONTEXT)
    name = TableName(STAGING_SCHEMA, STAGING_ID)
    world.metastore.tables[name] = replace(world.metastore.tables[name], parameters={})
    with pytest.raises(StagingSchemaError, match="holds no staging id"):
        roots(world).root_of(CONTEXT)


def test_only_staging_id_and_table_of_a_root_are_compared(world: World) -> None:
    """Storages move, and URIs have many spellings."""
    run = roots(world)
    _, _, tree = run.root_of(CONTEXT).rpartition("/ctas-spark/")
    assert run.owns(f"hdfs://other/ctas-spark/{tree}/", TARGET_NAME)
    assert not run.owns(f"hdfs://other/{tree}", TARGET_NAME)
    assert not run.owns(f"{FOLDER}/{tree}", TableName("shop", "customers"))
    assert not run.owns(f"{FOLDER}/s000000000000/shop.orders", TARGET_NAME)
    assert not run.owns("", TARGET_NAME)


def test_another_staging_schemas_tree_is_never_listed(world: World) -> None:
    """Two metastores that know nothing of each other may share a storage."""
    theirs = World()
    theirs.storage = world.storage
    theirs.address = MOVED_TO
    ours, other = world.begun(), theirs.begun()
    world.grow_old()
    theirs.clock.pass_ms(world.clock.wall - theirs.clock.wall)
    listed: list[str] = []
    children = world.storage.children

    def listing(directory: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        listed.append(directory)
        return children(directory, known)

    world.storage.children = listing  # type: ignore[method-assign]
    vacuum = replace(AT_ONCE, orphan_age_ms=0, thorough=True)
    assert world.sweep(vacuum).freed == [version_of(ours).directory]
    assert world.versions_on_storage() == {other.version}
    tree = version_of(other).directory.rpartition("/shop.orders")[0]
    assert not [one for one in listed if one.startswith(tree)]


def test_under_another_address_nothing_is_deleted(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether the metastore moved or was copied, only its user can tell; it is asked once."""
    caplog.set_level(logging.WARNING)
    old, live = world.published(), world.published()
    world.address = MOVED_TO
    run = world.catalog()
    for _ in range(2):
        done = run.clean_up(CONTEXT, AT_ONCE)
        assert done.kept == {live.version: Reason.LIVE, old.version: Reason.FOREIGN}
    (said,) = [one.getMessage() for one in caplog.records]
    assert ADDRESS in said
    assert MOVED_TO in said
    assert "metastore: same" in said


def test_a_tree_without_its_file_is_not_touched(world: World) -> None:
    """Its owner can't be found out."""
    old, _ = world.published(), world.published()
    del world.storage.texts[f"{FOLDER}/{id_of(world)}/{FILE}"]
    assert world.sweep().kept[old.version] is Reason.FOREIGN


def test_the_same_metastore_under_a_new_address_goes_on(world: World) -> None:
    """Its user says so once; later runs need no word of it."""
    old, live = world.published(), world.published()
    world.address = MOVED_TO
    assert world.sweep(SAME, dry_run=True).kept[old.version] is Reason.FOREIGN
    assert world.sweep(SAME).freed == [version_of(old).directory]
    world.published()
    assert live.version not in world.sweep().kept


def test_a_clone_never_stages_into_the_originals_tree(world: World) -> None:
    """There the original would take its versions for orphans without a record."""
    world.published()
    clone = copied(world)
    theirs = clone.published()
    assert version_of(theirs).directory.startswith(f"{FOLDER}/{id_of(world)}-")
    world.grow_old()
    world.sweep()
    assert theirs.version in world.versions_on_storage()


def test_a_clone_gets_an_id_of_its_own(world: World) -> None:
    """What it staged before that stays its own; the original's tree is out of its reach."""
    original = world.published()
    clone = copied(world)
    first, second = clone.published(), clone.published()
    clone.sweep(CLONE)
    assert id_of(clone) != id_of(world)
    assert version_of(first).directory not in world.storage.texts
    assert world.versions_on_storage() == {original.version, second.version}
    assert clone.sweep(CLONE).kept == {second.version: Reason.LIVE}
    assert world.sweep().kept == {original.version: Reason.LIVE}


def copied(world: World) -> World:
    """A copy of the metastore's database at another address, over the same storage."""
    clone = World()
    clone.clock, clone.storage = world.clock, world.storage
    clone.address = MOVED_TO
    clone.metastore = FakeMetastore()
    clone.metastore.tables.update(world.metastore.tables)
    return clone


@pytest.mark.parametrize("refused", ["create_table", "drop_entry"])
def test_rights_are_tried_and_nothing_is_left(world: World, refused: str) -> None:
    """Both of them, next to the entry that holds the id."""
    staging = roots(world).staging
    staging.made()
    before = {*world.metastore.tables}
    staging.try_rights()
    assert {*world.metastore.tables} == before

    def denied(call: str) -> None:
        if call == refused:
            raise MetastoreError("Permission denied: user=eve")

    world.metastore.before = denied
    with pytest.raises(MetastoreError, match=f"dropped in {STAGING_SCHEMA}: Permission denied"):
        staging.try_rights()
