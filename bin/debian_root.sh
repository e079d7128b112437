# shellcheck shell=bash
# A bare Debian in a directory: what debootstrap makes, and how this machine reaches its registries.

: "${root:?is set by bin/environment.sh}"
debian=bookworm
# What a newcomer has: no Java, and a Python that can't make environments.
debian_packages=python3,git,sudo,ca-certificates

# apart COMMAND...: its mounts and its processes are its own, and end with it; $apart is its parent.
apart() {
    local status=0
    # A process group of its own: else it would ignore SIGINT, and so would all that it starts.
    set -m
    unshare --mount --mount-proc --pid --fork --kill-child -- "$@" </dev/null &
    apart=$!
    set +m
    wait "$apart" || status=$?
    apart=
    return "$status"
}

# End what runs apart, and return when it has ended.
end_apart() {
    [[ -n ${apart:-} ]] || return 0
    pkill -KILL -P "$apart" || kill -KILL "$apart" 2>/dev/null || true
    wait "$apart" 2>/dev/null || true
}

# in_debian DIRECTORY COMMAND...: as root there, with nothing of this machine's environment.
in_debian() {
    local directory=$1
    shift
    # Not `exec chroot`: the first process of a namespace takes no signal that it doesn't expect.
    # shellcheck disable=SC2016
    apart bash -euc '
        mount --bind "$0" "$0" # Java asks for the file system of a path, and so for a mounted /
        cd "$0"
        mount -t proc proc proc
        mount -t tmpfs shm dev/shm
        mount -t devpts -o newinstance,ptmxmode=0666 pts dev/pts
        chroot . "$@"
        exit' \
        "$directory" env --ignore-environment HOME=/root LANG=C.UTF-8 TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive "${registry_variables[@]}" "$@"
}

# make_debian DIRECTORY: from the mirror that this machine uses, or debootstrap's own.
make_debian() {
    local mirror
    mirror=$(debian_archives | awk -v suite="$debian" '$3 == suite { print $2; exit }')
    apart debootstrap --variant=minbase "--include=$debian_packages" "$debian" "$1" ${mirror:+"$mirror"} \
        && copy_registries "$1" \
        && in_debian "$1" update-ca-certificates
}

# Debian's archives that this machine uses, as lines of a sources.list; none if it is no such Debian.
debian_archives() {
    apt-get indextargets --format '$(ORIGIN) $(CODENAME) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Identifier: Packages' | sed -nE "s/^Debian $debian[^ ]* //p" | sort -u
}

# What this machine needs to reach its registries, from apt to Ivy: addresses, proxies, certificates.
copy_registries() {
    local directory=$1 file
    for file in /etc/hosts /etc/resolv.conf /etc/pip.conf ${IVY_SETTINGS:+"$IVY_SETTINGS"}; do
        copy_file "$file" "$directory$file"
    done
    for file in .config/pip/pip.conf .pip/pip.conf; do
        copy_file "$HOME/$file" "$directory/root/$file"
    done
    for file in /usr/local/share/ca-certificates/*.crt; do
        copy_file "$file" "$directory$file"
    done
    if [[ -n $(debian_archives) ]]; then
        debian_archives >"$directory/etc/apt/sources.list"
    fi
    apt-config dump | grep -E '^Acquire::(https?|Check-)' >"$directory/etc/apt/apt.conf.d/90registry" || true
}

copy_file() {
    [[ ! -f $1 ]] || install -D --mode=644 -- "$1" "$2"
}

# What in this machine's environment says how to reach a registry.
registry_variables=()
for name in $(compgen -e); do
    case ${name,,} in
        http_proxy | https_proxy | no_proxy | all_proxy | ivy_settings | ssl_cert_file | ssl_cert_dir | \
            pip_index_url | pip_extra_index_url | pip_trusted_host | pip_proxy | pip_cert | \
            pip_client_cert | pip_default_timeout | requests_ca_bundle | curl_ca_bundle)
            registry_variables+=("$name=${!name}")
            ;;
    esac
done
unset name
