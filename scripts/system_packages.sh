#!/bin/sh
# Checks for the programs that tests start: `scripts/system_packages.sh test` for those of `make test`,
# `scripts/system_packages.sh all` for those of every test.
# As root it installs missing ones; other users read what to install.
set -eu
missing=
need() { # need PACKAGE COMMAND...: the command succeeds where the package is installed
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
file() { ls $1; } # the pattern stays unquoted: the shell finds the files
need postgresql file '/usr/lib/postgresql/*/bin/initdb'
need redis-server command -v redis-server
need chromium-headless-shell command -v chromium-headless-shell
case ${1:-} in
    test) ;;
    all)
        need chromium command -v chromium
        need firefox-esr command -v firefox-esr
        need libfaketime file '/usr/lib/*/faketime/libfaketime.so.1'
        need docker-compose command -v docker-compose
        need gettext command -v xgettext
        need default-jre-headless command -v java
        ;;
    *) echo "Usage: scripts/system_packages.sh test|all" >&2; exit 2 ;;
esac
[ -z "$missing" ] && exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "The tests need programs that are not installed here. As root, on Debian or Ubuntu:" >&2
    echo "    apt-get update && apt-get install --yes --no-install-recommends$missing" >&2
    exit 1
fi
echo "Installing$missing ..."
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086  # a list of packages
apt-get install -qq --yes --no-install-recommends $missing >/dev/null
