# shellcheck shell=bash
# Python environments of this checkout's own, made from its locks, with its wheel in them.

: "${root:?is set by bin/environment.sh}"
oldest_python=10 # of Python 3
newest_python=13

is_suitable() {
    "$1" -I -c "import sys
sys.exit(not (3, $oldest_python) <= sys.version_info[:2] <= (3, $newest_python))" >/dev/null 2>&1
}

makes_environments() { "$1" -I -c 'import ensurepip, venv' >/dev/null 2>&1; }

# first_python [TEST]: the first suitable Python that passes; the system's default goes first.
first_python() {
    local passes=${1:-true} minor candidate candidates=(python3 /usr/bin/python3)
    for ((minor = newest_python; minor >= oldest_python; minor--)); do
        candidates+=("python3.$minor" "/usr/bin/python3.$minor")
    done
    for candidate in "${candidates[@]}"; do
        if is_suitable "$candidate" && "$passes" "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

# Set $python to one that can make environments.
find_python() {
    python=$(first_python makes_environments) && return
    if ! python=$(first_python); then
        install_package "Python 3.$oldest_python to 3.$newest_python" python3
        python=$(first_python) \
            || fail "this system's python3 is not 3.$oldest_python to 3.$newest_python." \
                "Install one of these, as python3.$newest_python on PATH say, and run this again."
    fi
    makes_environments "$python" || install_package "The venv module of $python" \
        "$("$python" -I -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')"
    python=$(first_python makes_environments) \
        || fail "no Python 3.$oldest_python to 3.$newest_python here can make environments:" \
            "the ensurepip module is missing."
}

# environment_id DIRECTORY LOCK: what a made environment depends on, as a checksum.
environment_id() {
    {
        printf '%s\n' "$1"
        "$python" -I -c 'import sys; print(sys.version, sys.base_prefix)'
        cat -- "$2"
    } | sha256sum | cut -d ' ' -f 1
}

is_made() {
    [[ -f $1/made-from && $(<"$1/made-from") == "$2" ]] && "$1/bin/python" -I -c '' 2>/dev/null
}

# check_environment DIRECTORY: nothing is missing or in conflict, but for what is left out.
check_environment() {
    local complaints
    complaints=$("$1/bin/python" -I -m pip check \
        | grep -v -e '^No broken requirements' \
            -e ' requires dbt-core-experimental-parser, which is not installed\.$' || true)
    printf '%s' "$complaints"
    [[ -z $complaints ]]
}

# make_environment NAME LOCK: $root/NAME holds what requirements/LOCK lists.
make_environment() {
    local directory=$root/$1 lock=$root/requirements/$2 id
    find_python
    id=$(environment_id "$directory" "$lock")
    (
        flock 9 # two runs at once make it one after the other
        if is_made "$directory" "$id"; then
            say "The Python environment $1 is as requirements/$2 lists it."
            exit
        fi
        say "Making the Python environment $1 from requirements/$2 with $("$python" -V)."
        say "The first time, this downloads some 600 MB (most of it is Spark): a few minutes."
        rm -rf -- "$directory"
        "$python" -I -m venv "$directory"
        # --no-deps: dbt-core requires a package that no lock holds (requirements/overrides.txt says
        # why), and pip would look for it.
        quietly "$directory/bin/python" -I -m pip install --quiet --require-hashes --use-pep517 \
            --no-deps --requirement "$lock" \
            || fail "pip could not install requirements/$2 (see above)."
        quietly check_environment "$directory" \
            || fail "requirements/$2 does not hold all that its packages require (see above)."
        printf '%s\n' "$id" >"$directory/made-from" # last: without it, half made
    ) 9>"$directory.lock"
}

# use_environment NAME: its commands go first on PATH, and Spark's workers run in it.
use_environment() {
    export PATH=$root/$1/bin:$PATH PYSPARK_PYTHON=$root/$1/bin/python
}

# Build this checkout's wheel with .venv's build backend; set $wheel.
build_wheel() {
    local wheels
    rm -rf -- "$root/.build"
    quietly "$root/.venv/bin/pyproject-build" --wheel --no-isolation --outdir "$root/.build" \
        "$root" || fail "the wheel could not be built (see above)."
    wheels=("$root"/.build/*.whl)
    wheel=${wheels[0]}
}

# install_wheel NAME: into that environment, whatever version was there.
install_wheel() {
    quietly "$root/$1/bin/python" -I -m pip install --quiet --no-index --no-deps \
        --force-reinstall "$wheel" || fail "the wheel could not be installed (see above)."
    say "Installed ${wheel##*/} into $1."
}
