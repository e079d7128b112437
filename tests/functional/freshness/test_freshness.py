"""Sources without a loaded_at_field are as fresh as their tables, and others as it says."""

from datetime import datetime, timedelta, timezone

from functional.dbt_project import Project
from functional.sources import OF_THE_MODELS, freshness


def test_a_table_of_files_is_as_fresh_as_its_newest_file(project: Project) -> None:
    """One without any is as old as can be, and of a view nothing is known but its rows."""
    began = datetime.now(timezone.utc) - timedelta(seconds=1)
    project.write(
        {
            "models/written.sql": "{{ config(materialized='table') }} select 1 as n",
            "models/empty.sql": "{{ config(materialized='table', partition_by='n') }}"
            "select 1 as a, 2 as n where false",
            "models/shown.sql": "select 1 as n",
            "models/sources.yml": OF_THE_MODELS.format(
                "{name: written}, {name: empty}, {name: shown}"
            ),
        }
    )
    project.build()
    run, found = freshness(project)
    written = found["written"]
    assert written["status"] == "pass"
    assert began < datetime.fromisoformat(written["max_loaded_at"]) < datetime.now(timezone.utc)
    assert found["empty"]["status"] == "error"
    assert found["empty"]["max_loaded_at"].startswith("0001")
    assert "[NOT_SUPPORTED] only its rows tell how fresh" in run.log
    assert "set loaded_at_field" in run.log


def test_a_column_tells_how_fresh_a_source_is(project: Project) -> None:
    """A timestamp does; of anything else the error says its type."""
    timed = "{{ config(materialized='table') }} select current_timestamp() - interval 2 hours as at"
    listed = "{name: timed, loaded_at_field: at}, {name: dated, loaded_at_field: day}"
    project.write(
        {
            "models/timed.sql": timed,
            "models/dated.sql": "select current_date() as day",
            "models/sources.yml": OF_THE_MODELS.format(listed),
        }
    )
    project.build()
    run, found = freshness(project)
    assert found["timed"]["status"] == "error"
    age = timedelta(seconds=found["timed"]["max_loaded_at_time_ago_in_s"])
    assert timedelta(hours=2) < age < timedelta(hours=3)
    assert "received value of type 'date' instead" in run.log
