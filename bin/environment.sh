# shellcheck shell=bash
# What ./demo and ./check stand on: how they speak, and nothing of the caller's shell.
#
# Sourced from bash with `set -euo pipefail`; sets $root, the checkout.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)

SECONDS=0

stage() { printf '\n[%4ds] == %s\n' "$SECONDS" "$*"; }
say() { printf '[%4ds] %s\n' "$SECONDS" "$*"; }
fail() {
    printf '[%4ds] FAILED: %s\n' "$SECONDS" "$*" >&2
    exit 1
}

# Run a command and show what it said only if it failed.
quietly() {
    local said status=0
    said=$("$@" 2>&1) || status=$?
    [[ $status -eq 0 ]] || printf '%s\n' "$said" >&2
    return "$status"
}

leave_activated_environment() {
    [[ -n ${VIRTUAL_ENV:-} ]] || return 0
    PATH=:$PATH:
    PATH=${PATH//":$VIRTUAL_ENV/bin:"/:}
    PATH=${PATH#:}
    PATH=${PATH%:}
}

# Another Spark's, Python's, pip's or dbt's settings would change what is shown and checked.
forget_variables() {
    local name
    for name in $(compgen -e); do
        case $name in
            SPARK_* | PYSPARK_* | HADOOP_* | HIVE_* | DBT_* | NYCFLIGHTS_*) unset "$name" ;;
            PYTHON* | VIRTUAL_ENV* | PYTEST_* | MYPY* | RUFF_* | HYPOTHESIS_*) unset "$name" ;;
            PIP_TARGET | PIP_PREFIX | PIP_ROOT | PIP_USER | PIP_CONSTRAINT) unset "$name" ;;
            PIP_REQUIRE_VIRTUALENV | PIP_NO_DEPS | PIP_REQUIREMENT) unset "$name" ;;
            JAVA_TOOL_OPTIONS | JDK_JAVA_OPTIONS | _JAVA_OPTIONS | CLASSPATH) unset "$name" ;;
        esac
    done
    unset CDPATH
    export PYTHONUNBUFFERED=1 PYTHONUTF8=1 PYTHONNOUSERSITE=1
    export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
    export DBT_SEND_ANONYMOUS_USAGE_STATS=false
    # Spark then also starts where the machine's own name can't be resolved.
    export SPARK_LOCAL_IP=127.0.0.1
}

leave_activated_environment
forget_variables

# shellcheck source=bin/packages.sh
. "$root/bin/packages.sh"
# shellcheck source=bin/python.sh
. "$root/bin/python.sh"
# shellcheck source=bin/java.sh
. "$root/bin/java.sh"
