"""Ephemeral models: the statement that a view is made with is Spark's."""

import re
from pathlib import Path
from typing import Any

from dbt.tests.adapter.ephemeral.test_ephemeral import BaseEphemeralMulti, BaseEphemeralNested
from dbt.tests.util import check_relations_equal, run_dbt

from conformance.suite import inherit


def statement(model: str, schema: str) -> str:
    """The statement of a model without its spaces, and of a schema of the same name each time."""
    sql = Path("target/run/test/models", f"{model}.sql").read_text("utf-8")
    return without_spaces(sql).replace(schema, "a_schema")


def without_spaces(sql: str) -> str:
    """Nothing but its words."""
    return re.sub(r"\s+", "", sql)


class TestEphemeralMulti(BaseEphemeralMulti):
    def test_ephemeral_multi(self, project: Any) -> None:
        """Several references to an ephemeral model share one CTE."""
        run_dbt(["seed"])
        results = run_dbt(["run"])
        assert len(results) == 3
        check_relations_equal(project.adapter, ["seed", "dependent"])
        check_relations_equal(project.adapter, ["seed", "double_dependent"])
        check_relations_equal(project.adapter, ["seed", "super_dependent"])
        assert statement("double_dependent", project.test_schema) == without_spaces(
            "create or replace view a_schema.double_dependent as "
            "with __dbt__cte__base as (select * from a_schema.seed), "
            "__dbt__cte__base_copy as (select * from __dbt__cte__base)"
            "-- base_copy just pulls from base. Make sure the listed"
            "-- graph of CTEs all share the same dbt_cte__base cte"
            "select * from __dbt__cte__base where gender = 'Male'"
            "union all select * from __dbt__cte__base_copy where gender = 'Female'"
        )


class TestEphemeralNested(BaseEphemeralNested):
    def test_ephemeral_nested(self, project: Any) -> None:
        """An ephemeral model may refer to another one."""
        results = run_dbt(["run"])
        assert len(results) == 2
        assert statement("root_view", project.test_schema) == without_spaces(
            "create or replace view a_schema.root_view as "
            "with __dbt__cte__ephemeral_level_two as (select * from a_schema.source_table), "
            "__dbt__cte__ephemeral as (select * from __dbt__cte__ephemeral_level_two)"
            "select * from __dbt__cte__ephemeral"
        )


inherit(globals(), "ephemeral")
