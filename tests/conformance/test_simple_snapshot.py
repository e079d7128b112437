"""Snapshots, of Delta tables: their sources are updated and deleted from."""

from conformance.suite import inherit


class OnDelta:
    file_format = "delta"


inherit(globals(), "simple_snapshot", OnDelta)
