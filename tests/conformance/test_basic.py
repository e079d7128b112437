"""Seeds, views, tables, incremental models, snapshots and dbt's docs."""

from typing import Any

import pytest
from dbt.tests.adapter.basic import expected_catalog
from dbt.tests.adapter.basic.test_docs_generate import BaseDocsGenerate, BaseDocsGenReferences
from dbt.tests.adapter.basic.test_get_catalog_for_single_relation import (
    BaseGetCatalogForSingleRelation,
)
from dbt.tests.adapter.basic.test_snapshot_check_cols import BaseSnapshotCheckCols
from dbt.tests.adapter.basic.test_snapshot_timestamp import BaseSnapshotTimestamp
from dbt.tests.util import AnyInteger, AnyString
from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, StatsItem, TableMetadata

from conformance.suite import inherit

expected: Any = expected_catalog
TYPES = {
    "id_type": "bigint",
    "text_type": "string",
    "time_type": "timestamp",
    "view_type": "view",
    "table_type": "table",
    "model_stats": expected.no_stats(),
}


def statistic(name: str) -> dict[str, Any]:
    """What a publication has counted."""
    return {
        "id": name,
        "label": name,
        "value": AnyInteger(),
        "description": AnyString(),
        "include": True,
    }


def counted() -> dict[str, Any]:
    """The statistics of a table that is published."""
    has = {**expected.no_stats()["has_stats"], "value": True}
    return {"has_stats": has, "bytes": statistic("bytes"), "rows": statistic("rows")}


class TestDocsGenerate(BaseDocsGenerate):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any, profile_user: str) -> dict[str, Any]:
        made: dict[str, Any] = expected.base_expected_catalog(
            project, role=profile_user, seed_stats=counted(), **TYPES
        )
        return made


class TestDocsGenReferences(BaseDocsGenReferences):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any, profile_user: str) -> dict[str, Any]:
        made: dict[str, Any] = expected.expected_references_catalog(
            project, role=profile_user, bigint_type="bigint", seed_stats=counted(), **TYPES
        )
        made["nodes"]["model.test.ephemeral_summary"]["stats"] = counted()
        tables = [*made["nodes"].values(), *made["sources"].values()]
        # one dictionary of columns may be of several tables
        for columns in {id(table["columns"]): table["columns"] for table in tables}.values():
            for number, column in enumerate(columns.values()):
                column["index"] = number  # dbt-spark counts from 0
        return made


def of_relation(
    project: Any, owner: str, name: str, kind: str, stats: dict[str, Any]
) -> CatalogTable:
    """What dbt's catalog has of the suite's relation."""
    columns = {
        "id": "bigint",
        "first_name": "string",
        "email": "string",
        "ip_address": "string",
        "updated_at": "timestamp",
    }
    return CatalogTable(
        metadata=TableMetadata(
            type=kind,
            schema=project.test_schema,
            name=name,
            database=project.database,
            owner=owner,
        ),
        columns={
            column: ColumnMetadata(type=columns[column], index=index, name=column)
            for index, column in enumerate(columns)
        },
        stats={key: StatsItem(**one) for key, one in stats.items()},
    )


class TestGetCatalogForSingleRelation(BaseGetCatalogForSingleRelation):
    @pytest.fixture(scope="class")
    def expected_catalog_my_seed(self, project: Any, profile_user: str) -> CatalogTable:
        return of_relation(project, profile_user, "my_seed", "table", counted())

    @pytest.fixture(scope="class")
    def expected_catalog_my_view_model(self, project: Any, profile_user: str) -> CatalogTable:
        return of_relation(project, profile_user, "my_view_model", "view", expected.no_stats())


class TestSnapshotCheckCols(BaseSnapshotCheckCols):
    file_format = "delta"


class TestSnapshotTimestamp(BaseSnapshotTimestamp):
    file_format = "delta"


inherit(globals(), "basic")
