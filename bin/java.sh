# shellcheck shell=bash
# A Java that Spark runs on: JAVA_HOME's, the one on PATH, or one below $java_directory.

java_versions=(17 21)
java_packages=(openjdk-17-jre-headless openjdk-21-jre-headless)
java_directory=/usr/lib/jvm

# The major version of the Java in a home.
java_major() {
    "$1/bin/java" -version 2>&1 | sed -nE 's/.*version "(1\.)?([0-9]+).*/\2/p'
}

java_homes() {
    [[ -z ${JAVA_HOME:-} ]] || printf '%s\n' "$JAVA_HOME"
    if command -v java >/dev/null; then
        dirname -- "$(dirname -- "$(readlink -f -- "$(command -v java)")")"
    fi
    printf '%s\n' "$java_directory"/*
}

# Print the first home whose Java has a version that suits.
find_java() {
    local home
    while IFS= read -r home; do
        if [[ -x $home/bin/java && " ${java_versions[*]} " == *" $(java_major "$home") "* ]]; then
            printf '%s\n' "$home"
            return
        fi
    done < <(java_homes)
    return 1
}

# Set JAVA_HOME, and put its commands first on PATH.
use_java() {
    local home
    if ! home=$(find_java); then
        install_package "Java ${java_versions[0]} or ${java_versions[1]}" "${java_packages[@]}"
        home=$(find_java) || fail "Java was installed, but is not below $java_directory."
    fi
    export JAVA_HOME=$home PATH=$home/bin:$PATH
    say "Java $(java_major "$home") is in $home."
}
