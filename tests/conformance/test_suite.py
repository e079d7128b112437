"""The list of what is run here, and of what can't be."""

from conformance.not_applicable import NOT_APPLICABLE
from conformance.suite import GIVEN_BY, classes, run_as


def test_what_is_said_of_a_class_is_of_the_suite() -> None:
    """A new version of the suite may rename one, which would be said of nothing any more."""
    named = {*NOT_APPLICABLE, *GIVEN_BY, *GIVEN_BY.values()}
    assert named <= set(classes())


def test_what_is_run_as_another_is_run() -> None:
    """A class counts as passed by its base alone if that is run."""
    counted = {run_as(name) for name in classes() if name not in NOT_APPLICABLE}
    assert not counted & set(NOT_APPLICABLE)
