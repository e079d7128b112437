"""The classes of dbt's own suite for adapters, dbt-tests-adapter, and how they are run here."""

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from dbt.tests.adapter.basic import test_base

from conformance.not_applicable import NOT_APPLICABLE

PACKAGE = "dbt.tests.adapter"
GIVEN_BY = {
    "caching.test_caching.BaseCachingTest": "caching.test_caching.BaseCachingLowercaseModel",
    "constraints.test_constraints.BaseConstraintsColumnsEqual": (
        "constraints.test_constraints.BaseTableConstraintsColumnsEqual"
    ),
    "constraints.test_constraints.BaseContractSqlHeader": (
        "constraints.test_constraints.BaseTableContractSqlHeader"
    ),
    "store_test_failures_tests.test_store_test_failures.StoreTestFailuresBase": (
        "store_test_failures_tests.test_store_test_failures.BaseStoreTestFailures"
    ),
    "utils.base_array_utils.BaseArrayUtils": "utils.test_array_append.BaseArrayAppend",
    "utils.data_types.base_data_type_macro.BaseDataTypeMacro": (
        "utils.data_types.test_type_bigint.BaseTypeBigInt"
    ),
}
"""Classes without models of their own, each with one that has its tests and gives them models."""


LONG = (
    "aliases.test_aliases.BaseAliasErrors",
    "basic.test_ephemeral.",
    "basic.test_singular_tests_ephemeral.",
    "basic.test_snapshot_check_cols.",
    "basic.test_snapshot_timestamp.",
    "caching.test_caching.BaseCachingU",
    "concurrency.",
    "constraints.test_constraints.BaseIncrementalConstraintsColumnsEqual",
    "constraints.test_constraints.BaseTableConstraintsColumnsEqual",
    "constraints.test_constraints.BaseViewConstraintsColumnsEqual",
    "dbt_clone.test_dbt_clone.BaseCloneNotPossible",
    "dbt_clone.test_dbt_clone.BaseClonePossible",
    "dbt_clone.test_dbt_clone.BaseCloneSameTargetAndState",
    "dbt_clone.test_dbt_clone.TestPostgresCloneNotPossible",
    "dbt_show.test_dbt_show.BaseShowLimit",
    "hooks.test_model_hooks.BasePrePostModelHooksInConfigKwargs",
    "hooks.test_model_hooks.BasePrePostModelHooksInConfigWithCount",
    "hooks.test_model_hooks.BasePrePostModelHooksOnSeedsPlusPrefixed",
    "hooks.test_model_hooks.BasePrePostSnapshotHooksInConfigKwargs",
    "hooks.test_model_hooks.TestPrePostModelHooksUnderscores",
    "incremental.test_incremental_on_schema_change.",
    "incremental.test_incremental_unique_id.",
    "persist_docs.test_persist_docs.BasePersistDocsColumnMissing",
    "persist_docs.test_persist_docs.BasePersistDocsAllColumnsMissing",
    "python_model.test_python_model.BasePythonSample",
    "python_model.test_python_model.BasePythonMeta",
    "simple_copy.",
    "simple_seed.test_seed.BaseSeedConfigFullRefreshOff",
    "simple_seed.test_seed.BaseSeedCustomSchema",
    "simple_seed.test_seed.BaseSeedWithEmptyDelimiter",
    "simple_seed.test_seed.BaseSeedWithUniqueDelimiter",
    "simple_snapshot.new_record",
    "simple_snapshot.test_ephemeral_snapshot_hard_deletes.",
    "simple_snapshot.test_snapshot.",
    "simple_snapshot.test_various_configs.",
    "store_test_failures_tests.basic.StoreTestFailuresAsGeneric",
    "store_test_failures_tests.basic.StoreTestFailuresAsInteractions",
    "store_test_failures_tests.basic.StoreTestFailuresAsProjectLevel",
    "store_test_failures_tests.test_store_test_failures.",
    "unit_testing.test_types.",
    "utils.",
)
"""How the names of those begin that plain ``./check`` leaves out: the slow ones, those that differ
little from another of their group, and macros of dbt-spark's that this adapter doesn't touch."""


@cache
def classes() -> dict[str, type]:
    """Every class that has tests, by its name without the package's."""
    root = Path(str(test_base.__file__)).parents[1]
    files = (path for path in root.rglob("*.py") if path.name != "__init__.py")
    modules = sorted(".".join(path.relative_to(root).with_suffix("").parts) for path in files)
    return dict(found for module in modules for found in _classes_of(module))


def group(name: str) -> str:
    """The suite's own division of its classes: the directory of the first part."""
    return name.partition(".")[0]


def run_as(name: str) -> str:
    """The class whose tests and files are the same, and of which they are run."""
    if name in GIVEN_BY:
        return GIVEN_BY[name]
    return _name_of(classes()[name].__bases__[0]) if _only_renames(name) else name


def inherit(module: dict[str, Any], of_group: str, *given: type) -> None:
    """Add a test class for each class of a group that has none in the module yet.

    ``given`` are bases before it, with fixtures for all of these. What can't apply is left out.
    """
    defined = [one for one in module.values() if inspect.isclass(one) and _is_of(one, module)]
    taken = {base for one in defined for base in one.__bases__}
    for name, one in classes().items():
        is_run = run_as(name) == name and name not in NOT_APPLICABLE
        if group(name) == of_group and is_run and one not in taken:
            title = f"Test_{name.replace('.', '__')}"
            space = {"__doc__": one.__doc__, "__module__": module["__name__"]}
            module[title] = type(title, (*given, one), space)


def suite_class(test: type | None) -> str:
    """The name of the class of the suite that a test class runs; empty if it runs none."""
    bases = test.__mro__ if test else ()
    own = [name for one in bases if (name := _name_of(one)) in classes()]
    return own[0] if own else ""


def _is_of(one: type, module: dict[str, Any]) -> bool:
    return bool(one.__module__ == module["__name__"])


def _name_of(one: type) -> str:
    return f"{one.__module__}.{one.__name__}".removeprefix(f"{PACKAGE}.")


def _only_renames(name: str) -> bool:
    """True for a ``TestX(BaseX)`` without a line of its own."""
    own = {key for key in vars(classes()[name]) if not key.startswith("__")}
    bases = classes()[name].__bases__
    return not own and len(bases) == 1 and bases[0] in classes().values()


def _classes_of(module: str) -> Iterator[tuple[str, type]]:
    name = f"{PACKAGE}.{module}"
    for key, one in sorted(vars(importlib.import_module(name)).items()):
        is_own = inspect.isclass(one) and one.__module__ == name
        if is_own and any(method.startswith("test") for method in dir(one)):
            yield f"{module}.{key}", one
