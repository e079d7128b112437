"""A small file that is written again while it is read."""

from unittest.mock import patch

import pytest

from dbt.adapters.ctas_spark.staging import hadoop_storage
from dbt.adapters.ctas_spark.staging.errors import StorageError
from dbt.adapters.ctas_spark.staging.hadoop_storage import MOST_READS, HadoopStorage
from dbt.adapters.ctas_spark.staging.storage import StoredText

WHOLE = StoredText("a lease", 1)


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> HadoopStorage:
    """One that waits for nothing, and has no JVM."""
    monkeypatch.setattr(hadoop_storage, "BETWEEN_READS_SECONDS", 0)
    return object.__new__(HadoopStorage)


def test_a_read_that_met_a_write_is_made_again(storage: HadoopStorage) -> None:
    """The checksum was another's for a moment."""
    with patch.object(HadoopStorage, "_read", side_effect=[StorageError("checksum"), WHOLE]):
        assert storage.read("lease") == WHOLE


def test_a_file_that_is_not_there_is_asked_for_once(storage: HadoopStorage) -> None:
    """The storage's "no" is an answer."""
    with patch.object(HadoopStorage, "_read", return_value=None) as read:
        assert storage.read("lease") is None
    assert read.call_count == 1


def test_a_storage_that_keeps_refusing_is_an_error(storage: HadoopStorage) -> None:
    """Nothing is concluded from it."""
    refused = [StorageError("refused")] * MOST_READS
    with patch.object(HadoopStorage, "_read", side_effect=refused), pytest.raises(StorageError):
        storage.read("lease")
