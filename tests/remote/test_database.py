"""A model is exported to PostgreSQL by a server that has the driver."""

from pathlib import Path

import pytest

from remote.place import Place
from servers import database
from servers.postgresql import running_postgresql

EXPORTED = """
{{ config(materialized='table', database='pg', schema='app', staging_purpose=var('purpose')) }}
select id, 'sold' as state from range(7)
"""
AS_IT_IS = "{% macro generate_schema_name(name, node) %}{{ name or target.schema }}{% endmacro %}"


@pytest.mark.long
def test_a_new_table_is_published_and_none_is_replaced(place: Place, tmp_path: Path) -> None:
    """With the promises of a session; the catalog is one of the profile's."""
    files = {"models/exported.sql": EXPORTED, "macros/schema.sql": AS_IT_IS}
    with running_postgresql(tmp_path / "server") as server:
        place.write(files)
        place.write_profile(server_side_parameters=dict(database.catalog(server)))
        command = ("run", "--select", "exported")
        first = place.project.dbt(*command, purpose="create")
        assert first.success, first.log
        promised = [first.response("exported")[key] for key in ("commit_strategy", "atomicity")]
        assert promised == ["rename", "isolated"]
        again = place.project.dbt(*command, purpose="create_or_replace")
        assert "can't be replaced by one call" in again.message("exported")
        kept = place.project.dbt(*command, purpose="create_if_not_exists")
        assert kept.response("exported")["outcome"] == "kept"
        listed = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'app'")
        assert listed.split() == ["exported"]
        assert server.execute("SELECT count(*) FROM app.exported").strip() == "7"
