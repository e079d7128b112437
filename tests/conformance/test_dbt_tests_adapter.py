"""The classes of dbt's suite for adapters that pass as they are, none of them changed."""

from conformance.suite import classes, only_renames, passing

for name in passing():
    if not only_renames(name):
        title = f"Test_{name.replace('.', '__')}"
        globals()[title] = type(title, (classes()[name],), {"__doc__": classes()[name].__doc__})


def test_each_class_that_passes_is_of_the_suite() -> None:
    """A new version of the suite may rename one, which would run no more."""
    assert set(passing()) <= set(classes())
    assert passing() == sorted(passing())
