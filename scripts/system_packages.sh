#!/bin/sh
# Checks for the programs that the tests start: PostgreSQL, Redis, Chromium with and without windows, Firefox,
# libfaketime, docker-compose, gettext and Java.
# As root it installs missing ones; other users are told what to install.
set -eu
missing=
need() { # need PACKAGE WHETHER_IT_IS_THERE
    $2 >/dev/null 2>&1 || missing="$missing $1"
}
has_postgres() { ls /usr/lib/postgresql/*/bin/initdb || command -v initdb; }
has_redis() { command -v redis-server; }
has_faketime() { ls /usr/lib/*/faketime/libfaketime.so.1; }
has_chromium() { command -v chromium; }
has_chromium_shell() { command -v chromium-headless-shell; }
has_firefox() { command -v firefox-esr; }
has_compose() { command -v docker-compose; }
has_gettext() { command -v xgettext; }
has_java() { command -v java; }
need postgresql has_postgres
need redis-server has_redis
need chromium has_chromium
need chromium-headless-shell has_chromium_shell
need firefox-esr has_firefox
need libfaketime has_faketime
need docker-compose has_compose
need gettext has_gettext
need default-jre-headless has_java
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
