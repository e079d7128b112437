"""The storage's clock is set back between two runs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch
from urllib.parse import unquote, urlparse

from dbt.adapters.ctas_spark.staging.publish.marker import Lineage
from dbt.adapters.ctas_spark.staging.storage.hadoop import HadoopStorage
from faults.numbered import NOTHING_KEPT, TABLE, Numbered

TWO_HOURS_MS = 7_200_000
AN_HOUR = {"versions_to_keep": 0, "grace_period": 3_600}


@contextmanager
def clock_ahead() -> Iterator[None]:
    """What is written while the block runs is dated two hours ahead."""
    write = HadoopStorage.write

    def dated(storage: HadoopStorage, path: str, text: str) -> int:
        written_ms = write(storage, path, text) + TWO_HOURS_MS
        os.utime(unquote(urlparse(path).path), (written_ms / 1000, written_ms / 1000))
        return written_ms

    with patch.object(HadoopStorage, "write", dated):
        yield


def test_a_clock_set_back_deletes_nothing_early(numbered: Numbered) -> None:
    """Versions keep the order of their commits, readers their grace, and runs go on."""
    with clock_ahead():
        first = numbered.publish(1, **AN_HOUR)
        second = numbered.publish(2, **AN_HOUR)
    third = numbered.publish(3, **AN_HOUR)

    lineage = Lineage.parse(numbered.outside.parameters(TABLE)["ctas_spark_lineage"])
    assert [entry.version for entry in lineage.entries] == [third, second, first]
    assert lineage.entries[0].time_ms < lineage.entries[1].time_ms
    assert set(numbered.outside.versions()) == {first, second, third}
    assert numbered.number() == 3

    numbered.publish(4, **NOTHING_KEPT)
    assert numbered.number() == 4
    numbered.only_live_left()
