"""Some cells of the matrix of strategies, changes of columns and contracts; bench/ has all."""

from functional.dbt_project import Project
from functional.increment_matrix import Change, Strategy, cells, differences


def test_rows_are_those_of_a_model_in_plain_python(project: Project) -> None:
    """Or the run is refused where the model says so, and the table is as it was."""
    strategies = (Strategy.INSERT_OVERWRITE, Strategy.DELETE_INSERT, Strategy.TIMESTAMP)
    some = tuple(cells("parquet", strategies, (Change.CASE, Change.NESTED, Change.NARROWER)))
    wrong = {cell.name: said for cell, said in differences(project, some).items() if said}
    assert wrong == {}
