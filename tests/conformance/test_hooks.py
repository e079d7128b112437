"""Hooks of models, seeds, snapshots and runs; what they are told of the profile is ours."""

from typing import Any

from dbt.tests.adapter.hooks import test_model_hooks as of_models
from dbt.tests.adapter.hooks.test_run_hooks import BasePrePostRunHooks

from conformance.suite import inherit

PROFILE = {
    "target_dbname": "",
    "target_host": "",
    "target_name": "default",
    "target_threads": 4,
    "target_user": "",
    "target_pass": "",
}


def check(told: dict[str, Any], state: str, project: Any) -> None:
    """What the suite asserts of PostgreSQL's profile."""
    assert told["test_state"] == state
    assert {key: told[key] for key in PROFILE} == PROFILE
    assert told["target_schema"] == project.test_schema
    assert told["target_type"] == project.adapter_type
    assert told["run_started_at"], "run_started_at was not set"
    assert told["invocation_id"], "invocation_id was not set"


class OfModels:
    get_ctx_vars: Any

    def check_hooks(self, state: str, project: Any, host: object, count: int = 1) -> None:  # noqa: ARG002 (the suite's)
        for told in self.get_ctx_vars(state, count=count, project=project):
            check(told, state, project)
            assert told["thread_id"].startswith("Thread-")


class TestPrePostModelHooks(OfModels, of_models.BasePrePostModelHooks):
    pass


class TestPrePostModelHooksUnderscores(OfModels, of_models.TestPrePostModelHooksUnderscores):
    pass


class TestHookRefs(OfModels, of_models.BaseHookRefs):
    pass


class TestPrePostModelHooksInConfig(OfModels, of_models.BasePrePostModelHooksInConfig):
    pass


class TestPrePostModelHooksInConfigKwargs(OfModels, of_models.BasePrePostModelHooksInConfigKwargs):
    pass


class TestPrePostModelHooksInConfigWithCount(
    OfModels, of_models.BasePrePostModelHooksInConfigWithCount
):
    pass


class TestPrePostRunHooks(BasePrePostRunHooks):
    def check_hooks(self, state: str, project: Any, host: object) -> None:  # noqa: ARG002 (the suite's)
        told: dict[str, Any] = self.get_ctx_vars(state, project)  # type: ignore[no-untyped-call]
        check(told, state, project)
        assert told["thread_id"].startswith("Thread-") or told["thread_id"] == "MainThread"


class OnDelta:
    """Their hooks run UPDATE."""

    file_format = "delta"


class TestOnSeeds(OnDelta, of_models.BasePrePostModelHooksOnSeeds):
    pass


class TestOnSeedsPlusPrefixed(OnDelta, of_models.BasePrePostModelHooksOnSeedsPlusPrefixed):
    pass


class TestOnSeedsPlusPrefixedWhitespace(
    OnDelta, of_models.BasePrePostModelHooksOnSeedsPlusPrefixedWhitespace
):
    pass


class TestOnSnapshots(OnDelta, of_models.BasePrePostModelHooksOnSnapshots):
    pass


class TestSnapshotHooksInConfigKwargs(OnDelta, of_models.BasePrePostSnapshotHooksInConfigKwargs):
    pass


inherit(globals(), "hooks")
