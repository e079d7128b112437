# shellcheck shell=bash
# Packages of Debian and Ubuntu: installed where that needs no password, else asked for.

# as_root COMMAND...: fails if this user can't become root without a password.
as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

# The first of these packages that apt knows; the first one if it knows none.
known_package() {
    local package
    for package in "$@"; do
        if apt-cache show --no-all-versions "$package" >/dev/null 2>&1; then
            printf '%s\n' "$package"
            return
        fi
    done
    printf '%s\n' "$1"
}

# install_package WHAT PACKAGE...: the first of these packages that this system has.
install_package() {
    local what=$1 package
    shift
    command -v apt-get >/dev/null \
        || fail "$what is missing, and there is no apt-get here. Install it and run this again."
    as_root true >/dev/null 2>&1 \
        || fail "$what is missing. Install it and run this again:" \
            "sudo apt-get update && sudo apt-get install --yes $(known_package "$@")"
    say "$what is missing: installing it with apt-get."
    quietly as_root apt-get -o DPkg::Lock::Timeout=300 update --quiet \
        || say "apt-get update failed (see above); trying with the package lists that are here."
    package=$(known_package "$@")
    quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
        install --yes --no-install-recommends "$package" \
        || fail "apt-get could not install $package (see above)."
}
