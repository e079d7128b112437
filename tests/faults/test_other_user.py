"""A run on a storage whose places belong to another user, who permits it less."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from faults.other_process import DBT, OtherRun, started

OTHER_USER, SAME_GROUP = 65_534, -1
# Root without these is a user like any other, who can still start this Python.
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner,-chown")
READS_ITSELF = "{{ config(materialized='atomic_table') }} select * from {{ this }}"


@pytest.fixture
def built(numbered: Numbered) -> Numbered:
    """A table that exists; its places may be given to another user."""
    if os.geteuid() != 0:
        pytest.skip("only root may give a directory to another user")
    numbered.publish(1)
    return numbered


def give_away(place: Path, mode: int) -> None:
    """It is the other user's from now on."""
    os.chown(place, OTHER_USER, SAME_GROUP)
    place.chmod(mode)


@contextmanager
def dbt_without_rights(numbered: Numbered, **variables: object) -> Iterator[OtherRun]:
    """Start the command ``dbt run`` as a user who owns the project, and no other right."""
    command = [*WITHOUT_RIGHTS, str(DBT), *numbered.project.command("run", **variables)]
    with started(numbered.project.directory, command) as run:
        yield run


def test_a_place_that_may_not_be_written_is_refused(built: Numbered) -> None:
    """Before any job, with the command that mends it; a run with the right works."""
    old = built.version()
    place = built.outside.directory(TABLE).parent
    give_away(place, 0o755)
    with dbt_without_rights(built, v=2) as run:
        code = run.ended()
        said = run.log.read_text()

    assert code == 1
    assert f"no version can be staged: this user may not write in file:{place}\n" in said
    assert "    left: it is unchanged; no job was started\n" in said
    assert "an administrator, to run: chmod -R g+w " in said
    assert (built.version(), built.number()) == (old, 1)
    built.only_live_left()

    built.publish(3, **NOTHING_KEPT)
    assert built.number() == 3
    built.only_live_left()


@pytest.mark.long
def test_an_old_version_that_may_not_be_read_stays(built: Numbered) -> None:
    """A model that reads its own table fails with the path; nothing that it staged is left."""
    old, directory = built.version(), built.outside.directory(TABLE)
    give_away(directory, 0o700)
    built.project.write({f"models/{TABLE}.sql": READS_ITSELF})
    with dbt_without_rights(built, v=2) as run:
        code = run.ended()
        said = run.log.read_text()

    assert code == 1
    assert str(directory) in said
    assert "outcome: nothing was published" in said
    assert (built.version(), built.number()) == (old, 1)
    built.only_live_left()
