"""Strategies of incremental models."""

import pytest
from dbt.tests.adapter.incremental import test_incremental_microbatch as microbatch
from dbt.tests.adapter.incremental.test_incremental_on_schema_change import (
    BaseIncrementalOnSchemaChange,
)
from dbt.tests.adapter.incremental.test_incremental_unique_id import BaseIncrementalUniqueKey

from conformance.suite import inherit

BY_DAY = "partition_by=['date_day'], batch_size='day'"
DAY = "select *, cast(event_time as date) as date_day from"


class TestMicrobatch(microbatch.BaseMicrobatch):
    """Spark replaces the partitions of a batch, so the model needs one a day."""

    @pytest.fixture(scope="class")
    def microbatch_model_sql(self) -> str:
        return f"""
{{{{ config(materialized='incremental', incremental_strategy='microbatch', unique_key='id',
    event_time='event_time', {BY_DAY}, begin=modules.datetime.datetime(2020, 1, 1, 0, 0, 0)) }}}}
{DAY} {{{{ ref('input_model') }}}}
"""


class DeleteInsert:
    """What PostgreSQL does by default with a unique key."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, object]:
        return {"models": {"+incremental_strategy": "delete+insert"}}


class TestIncrementalUniqueKey(DeleteInsert, BaseIncrementalUniqueKey):
    pass


class TestIncrementalOnSchemaChange(DeleteInsert, BaseIncrementalOnSchemaChange):
    pass


inherit(globals(), "incremental")
