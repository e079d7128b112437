"""One table, published by turns by a session in a driver and over Spark Connect."""

import pytest

from faults.other_process import other_run
from remote.place import MODELS, ONLY_CONNECT, Place


@ONLY_CONNECT
def test_each_replaces_what_the_other_published(place: Place) -> None:
    """Less than the last publication is a warning, as far as SQL shows that; nothing is dropped."""
    for number in (1, 2):  # what the log of Delta tells of is a replace
        isolated = place.in_the_server("run", name=f"isolated {number}")
        assert isolated.success, isolated.log
        assert isolated.response("ice")["atomicity"] == "isolated"
    assert isolated.response("dlt")["atomicity"] == "isolated"
    over_connect = place.project.build(name="atomic")
    assert place.names() == [("atomic", 3), ("atomic", 3)]
    said = "was last published at atomicity isolated, and is now at atomic"
    assert f"{place.table('dlt').removeprefix('spark_catalog.')} {said}" in over_connect.log
    assert f"{place.table('ice')} {said}" not in over_connect.log
    assert over_connect.response("ice")["atomicity"] == "isolated"
    again = place.project.build(name="atomic 2")
    assert "was last published at" not in again.log
    back = place.in_the_server("run", name="isolated 3")
    assert back.success, back.log
    assert place.names() == [("isolated 3", 3), ("isolated 3", 3)]
    for model in MODELS:
        assert back.response(model)["atomicity"] == "isolated"
    assert place.staged() == []
    operations = [row[4] for row in place.rows(f"describe history {place.table('dlt')}")]
    assert operations[-1] == "CREATE TABLE AS SELECT"
    assert not any("DROP" in str(operation) for operation in operations)


@pytest.mark.long
@ONLY_CONNECT
def test_what_the_other_stages_is_left_alone(place: Place) -> None:
    """No clean-up takes what the other kind of run has staged for its own."""
    place.project.build()
    both = ("--step", "commit", "--nodes", str(len(MODELS)))
    with other_run(place.project, *both, name="over connect") as run:
        run.wait_until_stopped()
        staged = place.staged()
        assert len(staged) == len(MODELS)
        isolated = place.in_the_server("run", name="isolated")
        assert isolated.success, isolated.log
        assert place.staged() == staged
        run.kill()
    place.project.build(name="later")
    assert (place.names(), place.staged()) == ([("later", 3), ("later", 3)], staged)
