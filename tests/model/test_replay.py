"""A life that was printed can be repeated."""

from model.replay import replayed

PRINTED = """
E               Failing test case: <state machine>
E               state = Lives()
E               state.holds()
E               state.publishes(after=0, fault=None, number=7, plan=Plan(
E                   target=TableName(database='shop', table='orders'),
E                   purpose=<StagingPurpose.CREATE_OR_REPLACE: 'create_or_replace'>,
E                   on_conflict=<OnConflict.ABORT: 'abort'>,
E                   months=(),
E                   tracked=True,
E                   schema=0,
E               ))
E               state.teardown()
E               Explanation: none
"""


def test_a_printed_life_is_repeated() -> None:
    """Each step is followed by what it changed, and by what the target is then."""
    lines = list(replayed(PRINTED))
    assert [line for line in lines if line.startswith("# ")][1] == "# state.holds()"
    created = next(line for line in lines if "(commit): create_table(" in line)
    assert "orders shows 20231114t221320x" in created
