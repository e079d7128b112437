# shellcheck shell=bash disable=SC2034,SC2154 # ./check sources it, and sets or reads those
# The stages of ./check: a function and a title each, and the order in which they are taken.
# Long ones go first, so that both lanes end at about the same time.

declare -A titles=(
    [lint]="Lint: ruff"
    [types]="Types: mypy"
    [unit]="Unit tests"
    [lives]="Random lives of a table, on fakes, and the orders of steps of the protocol"
    [dbt_1_10]="dbt-core 1.10: the example parsed, unit tests, publications on Spark"
    [dbt_1_11]="dbt-core 1.11: the example parsed, unit tests, publications on Spark"
    [fresh_install]="What pip makes of the wheel in a fresh environment, imported"
    [without_dbt]="save_as where nothing of dbt is installed: the commands and examples of its page"
    [archive]="What makes the tests' Spark faster: an archive of its classes, files without chmod"
    [functional]="On Spark, as users and readers see it"
    [faults]="Runs that are killed, cut off and signalled"
    [iceberg]="Iceberg's catalogs"
    [crashes]="Crashes at every step, and what the next run makes of them"
    [contract]="The contract of every catalog, and the sabotages that it has to notice"
    [contract_formats]="The contract of Delta and PostgreSQL, in one session"
    [clients]="The clients of a Hive metastore"
    [databases]="Two databases: the session catalog, and one of Iceberg's"
    [delta]="Delta tables"
    [kerberos]="A metastore and Spark's Thrift server, with Kerberos"
    [on_a_cluster]="Readers and the contract, in sessions on a cluster"
    [on_a_cluster_whole]="All readers and the whole contract, in sessions on a cluster"
    [hdfs]="HDFS: several users of one group"
    [s3]="S3: committers, requests, what is deleted"
    [remote]="Spark Connect and Thrift: dbt without a JVM, on a server"
    [other_catalogs]="Catalogs that publish by a statement"
    [demo]="The demo"
    [conformance]="dbt's own suite for adapters"
    [example]="The example, whole, with its tests"
)

quick_stages=(lint types unit lives)
all_stages=(lint types unit functional delta iceberg conformance faults remote contract
    contract_formats other_catalogs crashes lives clients databases hdfs s3 on_a_cluster without_dbt)
# With --all three of them run in their long form alone. What comes from a registry in its newest
# version, or in another, is tried there, too.
long_stages=(iceberg_everywhere contract_pairs contract_all_formats contract_postgresql
    contract_over_connect contract_over_thrift contract_embedded contract_on_hive
    crashes_all_formats crashes_on_hive crashes_postgresql
    many_lives lint types unit functional demo example faults crashes conformance contract databases
    clients delta
    remote kerberos other_catalogs hdfs s3 on_a_cluster_whole dbt_1_10 dbt_1_11 fresh_install without_dbt)

titles+=(
    [contract_embedded]="The contract on an embedded metastore"
    [contract_over_connect]="The contract on tables of files over Spark Connect"
    [contract_over_thrift]="The contract on tables of files over Spark's Thrift server"
    [contract_postgresql]="The contract on a metastore on PostgreSQL"
    [contract_all_formats]="The contract on Delta, PostgreSQL, and Iceberg's jdbc, REST and hadoop"
    [contract_on_hive]="The contract on Iceberg's hive and session catalogs"
    [contract_pairs]="The contract for every pair of layout and purpose, on a metastore with a server"
    [crashes_all_formats]="Crashes at every step, on Iceberg and Delta"
    [crashes_on_hive]="Crashes at every step, on Iceberg's hive and session catalogs"
    [crashes_postgresql]="Crashes at every step, on a metastore on PostgreSQL"
    [iceberg_everywhere]="Every test of Iceberg's, in every kind of catalog"
    [many_lives]="1,000 random lives of a table, on fakes"
)

# Not `python -m pytest`: that puts the checkout on sys.path, and so into the package dbt.adapters.
# run_tests ENVIRONMENT PATH...
run_tests() {
    local environment=$1
    shift
    (
        use_environment "$environment"
        PYTHONPATH=$root/bin exec pytest -p installed_package -p durations -p time_limits "${selection[@]}" "$@"
    )
}

# run_on_a_cluster PATH...: the same, the sessions on a standalone cluster, which ends with the tests.
run_on_a_cluster() {
    (
        use_environment .venv
        export PYTHONPATH=$root/bin:$root/tests/support
        exec python -m servers.standalone \
            pytest -p installed_package -p durations -p time_limits "${selection[@]}" "$@"
    )
}

# Namespace packages: the wheel may hold nothing but our three directories and its metadata.
check_wheel() {
    local foreign
    foreign=$(.venv/bin/python -I -m zipfile --list "$wheel" | sed 1d \
        | grep -vE '^((dbt/(adapters|include)/)?ctas_spark|dbt_ctas_spark-[^/]+\.dist-info)/' || true)
    [[ -z $foreign ]] || fail "the wheel holds files that belong to others: $foreign"
}

lint() {
    .venv/bin/ruff check
    .venv/bin/ruff format --check
}

types() { .venv/bin/mypy; }

unit() { run_tests .venv tests/library tests/adapter tests/project; }

lives() { run_tests .venv tests/model tests/interleavings; }

# tests/support/readers/session.py uses both where they are.
# An archive that is there is of this Java and these jars: its name says so.
archive() {
    local path
    path=$(.venv/bin/python -c 'from ctas_spark.engines.class_archive import path; print(path())')
    [[ -f $path ]] || run_example .venv run-operation ctas_archive_classes
    PYTHONPATH=tests/support .venv/bin/python -c \
        'from servers.jars import BARE_LOCAL_FILES, fetched; print(fetched(BARE_LOCAL_FILES))'
}

# run_example ENVIRONMENT DBT-ARGUMENT...: writes nothing into the example.
run_example() {
    "$root/$1/bin/dbt" --no-use-colors "${@:2}" --project-dir examples/nycflights \
        --profiles-dir examples/nycflights --target-path "$root/.build/example-target" \
        --log-path "$root/.build/example-logs"
}

# on_dbt MINOR: a reduced suite on an older dbt-core.
on_dbt() {
    make_environment ".venv-dbt-$1" "dbt-$1.txt"
    install_wheel ".venv-dbt-$1"
    run_example ".venv-dbt-$1" parse --no-partial-parse
    run_tests ".venv-dbt-$1" tests/library tests/adapter
    run_tests ".venv-dbt-$1" tests/functional/publication
}

dbt_1_10() { on_dbt 1.10; }

dbt_1_11() { on_dbt 1.11; }

# No lock: the newest set that the wheel's ranges and a package index allow. tests/project/test_package.py
# compares those ranges with what is tested.
fresh_install() {
    local environment=$root/.venv-fresh
    find_python
    rm -rf -- "$environment"
    "$python" -I -m venv "$environment"
    quietly "$environment/bin/python" -I -m pip install --quiet "$wheel[delta,iceberg]" \
        --constraint requirements/index-only.txt
    "$environment/bin/python" -I -m pip check
    "$environment/bin/python" -I -c 'import pyspark.sql; print("PySpark", pyspark.__version__)'
    "$environment/bin/dbt" --no-use-colors parse --no-partial-parse \
        --project-dir examples/nycflights --profiles-dir examples/nycflights \
        --target-path "$root/.build/fresh" --log-path "$root/.build/fresh"
    rm -rf -- "$environment"
}

# blocks LANGUAGE: what docs/pyspark.md has in that language.
blocks() { awk -v fence="\`\`\`$1" '/^```/ { inside = $0 == fence; next } inside' docs/pyspark.md; }

# The environment is made by the page's own commands, next to the wheel.
without_dbt() {
    local directory=$root/.build/without-dbt
    find_python
    rm -rf -- "$directory"
    mkdir -p -- "$directory"
    blocks python >"$directory/examples.py"
    blocks sh >"$directory/install.sh"
    "$python" -I -m venv "$directory/environment"
    cp -- "$wheel" "$directory"
    cd -- "$directory" || return
    PATH=$directory/environment/bin:$PATH
    quietly bash -e install.sh
    if pip list | grep -iE '^(dbt|agate)' | grep -v '^dbt-ctas-spark '; then
        fail "something of dbt is installed"
    fi
    python examples.py 2>console.log || { cat console.log && return 1; }
    if grep ' ERROR ' console.log; then
        fail "the log of a good script has errors"
    fi
    rm -rf -- "$directory"
}

# Those that are named below have a process of their own: one process has one session, and so one
# metastore; and a JVM has the jars and the extensions of a format from its start, or never. Readers
# read in sessions on a cluster (on_a_cluster).
functional() {
    run_tests .venv tests --ignore tests/library --ignore tests/adapter --ignore tests/project \
        --ignore tests/model --ignore tests/interleavings --ignore tests/contract \
        --ignore tests/faults --ignore tests/crashes --ignore tests/functional/databases \
        --ignore tests/iceberg --ignore tests/delta --ignore tests/other_catalogs \
        --ignore tests/remote --ignore tests/contract_clients --ignore tests/nessie \
        --ignore tests/trino --ignore tests/conformance --ignore tests/kerberos --ignore tests/hdfs --ignore tests/s3 \
        --ignore tests/readers/test_isolated.py
}

# Whole without the choice by names: publication, a lost race, an abort, a clean-up, and readers beside.
on_a_cluster() {
    run_on_a_cluster tests/readers/test_isolated.py tests/contract/test_contract.py --catalog hive_remote \
        -k "no_read_fails or replaces_everything or names_the_winner or nothing_of_a_replace or was_superseded"
}

on_a_cluster_whole() {
    run_on_a_cluster tests/readers tests/contract/test_contract.py --catalog hive_remote
}

conformance() { run_tests .venv tests/conformance; }

clients() { run_tests .venv tests/contract_clients; }

databases() { run_tests .venv tests/functional/databases; }

faults() { run_tests .venv tests/faults; }

crashes() { run_tests .venv tests/crashes; }

contract() { run_tests .venv tests/contract; }

contract_formats() {
    run_tests .venv tests/contract/test_contract.py --catalog delta --catalog postgresql
}

iceberg() { run_tests .venv tests/iceberg; }

delta() { run_tests .venv tests/delta; }

kerberos() { run_tests .venv tests/kerberos; }

hdfs() { run_tests .venv tests/hdfs; }

s3() { run_tests .venv tests/s3; }

remote() { run_tests .venv tests/remote; }

other_catalogs() { run_tests .venv tests/other_catalogs; }

# What ./demo runs once there is an environment. It builds what its dashboard needs.
demo() {
    rm -rf -- "$root/.demo"
    use_environment .venv
    PYTHONPATH=$root/bin:$root/tests/support python -m story examples/nycflights "$root/.demo"
}

# As its README does it: on an embedded metastore.
example() {
    local copy=$root/.build/example
    rm -rf -- "$copy"
    use_environment .venv
    cp -R -- examples/nycflights "$copy"
    cd -- "$copy" || return
    rm -rf -- data logs target metastore_db spark-warehouse
    python load.py
    dbt --no-use-colors build
}

contract_embedded() { run_tests .venv tests/contract --catalog hive_embedded; }

contract_over_connect() { run_tests .venv tests/contract --catalog hive_over_connect; }

contract_over_thrift() { run_tests .venv tests/contract --catalog hive_over_thrift; }

contract_postgresql() { run_tests .venv tests/contract --catalog hive_postgresql; }

contract_all_formats() { run_tests .venv tests/contract --catalog formats --catalog postgresql; }

contract_on_hive() { run_tests .venv tests/contract --catalog on_hive; }

contract_pairs() { run_tests .venv tests/contract --catalog hive_remote --every-pair; }

crashes_all_formats() { run_tests .venv tests/crashes --catalog formats; }

crashes_on_hive() { run_tests .venv tests/crashes --catalog on_hive; }

crashes_postgresql() { run_tests .venv tests/crashes --catalog hive_postgresql; }

iceberg_everywhere() { run_tests .venv tests/iceberg --every-catalog; }

many_lives() { run_tests .venv tests/model --examples 1000 -o faulthandler_timeout=0; }
