"""dbt clone: a shallow clone of a Delta table, and a view of a table of files."""

from dbt.tests.adapter.dbt_clone import test_dbt_clone as clone

from conformance.suite import inherit


class OnDelta:
    """Their projects have a snapshot."""

    file_format = "delta"


class TestClonePossible(OnDelta, clone.BaseClonePossible):
    pass


class TestCloneNotPossible(OnDelta, clone.BaseCloneNotPossible):
    pass


class TestCloneNotPossibleWithCleanUp(OnDelta, clone.TestPostgresCloneNotPossible):
    pass


class TestCloneSameSourceAndTarget(OnDelta, clone.BaseCloneSameSourceAndTarget):
    pass


inherit(globals(), "dbt_clone")
