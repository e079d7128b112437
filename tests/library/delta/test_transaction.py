"""The actions of a publication."""

import pytest

from ctas_spark.delta import transaction
from ctas_spark.errors import RefusedError
from fakes.delta_logs import table


def test_the_new_metadata_is_the_staged_one_under_the_bases_identity() -> None:
    """Readers and writers that know the table's id know the new version, too."""
    base = table(identity="base", configuration={"old": "1"})
    staged = table(identity="staged", configuration={"new": "2"})
    made = transaction.new_metadata(base, staged)["metaData"]
    assert made["id"] == "base"
    assert made["configuration"] == {"new": "2"}
    assert made["schemaString"] == staged.metadata["schemaString"]


def test_features_that_the_base_lacks_are_asked_for() -> None:
    """And no feature that it has."""
    base, staged = table(features=("clustering",)), table(features=("clustering", "variantType"))
    made = transaction.new_metadata(base, staged)["metaData"]
    assert made["configuration"] == {"delta.feature.variantType": "supported"}


def test_a_staged_file_keeps_all_but_its_place_and_its_row_ids() -> None:
    """The path begins at the target's own directory, so that VACUUM knows the file."""
    add = {"path": "day=1/f.parquet", "size": 3, "baseRowId": 7, "defaultRowCommitVersion": 0}
    assert transaction.moved(add, "20260101t000000x00000000") == {
        "path": "stg_20260101t000000x00000000/day=1/f.parquet",
        "size": 3,
        "dataChange": True,
    }


def test_a_staged_file_with_deleted_rows_is_refused() -> None:
    """Readers would look for its deletion vector in the target's directory."""
    add = {"path": "f.parquet", "deletionVector": {"storageType": "u"}}
    with pytest.raises(RefusedError, match="rows were deleted"):
        transaction.moved(add, "20260101t000000x00000000")


def test_domains_that_only_the_base_has_end() -> None:
    """A table that is no longer clustered."""
    base = [{"domain": "delta.clustering", "configuration": "x", "removed": False}]
    staged = [{"domain": "other", "configuration": "y", "removed": False}]
    made = list(transaction.new_domains(base, staged))
    assert made == [
        {"domainMetadata": staged[0]},
        {"domainMetadata": {**base[0], "removed": True}},
    ]
    assert list(transaction.new_domains(base, base)) == [{"domainMetadata": base[0]}]


def test_what_the_transaction_makes_of_the_metadata_is_compared() -> None:
    """What it adds is its own business; what it changes is not published."""
    staged = dict(table(configuration={"a": "1"}).metadata)
    added = {**staged, "configuration": {"a": "1", "delta.more": "x"}}
    transaction.check_kept(added, staged)
    changed = {**staged, "schemaString": "other", "configuration": {}}
    with pytest.raises(RefusedError, match=r"schemaString, a$"):
        transaction.check_kept(changed, staged)
