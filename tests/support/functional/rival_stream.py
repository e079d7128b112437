"""Another run of a streaming model, by the core alone: in this process there is one dbt."""

import threading
import uuid

from pyspark.sql import SparkSession

from ctas_spark.dataframe.session_table import SessionTable
from functional.dbt_project import Project


def commit_a_rival(project: Project, model: str) -> None:
    """Publish the model's new rows from the version that its table shows."""
    session = SparkSession.active().newSession()
    path = f"{project.schema}.{model}"
    table = SessionTable.of(session, path, {})
    with table.opened() as catalogs:
        context = table.plan.context
        job = table.job(f"rival {uuid.uuid4().hex}", threading.Event())
        job.attach()
        staged = catalogs.catalog_for(context).plan(context, job).begin()
        stream = session.sql(f"select id, text from stream {project.schema}.events")
        staged.read_new_rows(stream, resumes=True).createOrReplaceTempView("rival_rows")
        old = f"select id, text from {path}"
        session.sql(staged.statement(f"{old} union all select * from rival_rows"))
        staged.verify()
        staged.commit()
        staged.settle()
