#!/bin/sh
# Starts PostgreSQL in Compose. While there is a database of an older version, the new one must hold the service's tables:
# otherwise everybody would find the service empty. UPGRADE=yes lets it start empty, to be filled from the old one, which
# starts with UPGRADE=from.
set -eu
new=${PGDATA:-/var/lib/postgresql/data}
old=${OLD_PGDATA:-/old}

# Prints 1 if the new database holds the service's tables, 0 if not, and nothing if the server cannot tell before it starts.
tables() {
    [ -s "$new/PG_VERSION" ] || { echo 0; return; }
    echo "SELECT count(*) AS found FROM pg_class WHERE relname = 'django_migrations'" |
        postgres --single -D "$new" "$POSTGRES_DB" 2>/dev/null | sed -n 's/.*found = "\([01]\)".*/\1/p'
}

if [ "${UPGRADE:-}" = from ]; then
    if [ ! -s "$new/PG_VERSION" ]; then
        echo "The volume 'database' holds no database: there is nothing to upgrade." >&2
        exit 1
    fi
    if [ -e "$new/postmaster.pid" ]; then
        echo "Another server uses the volume 'database', or one was killed: run docker-compose down. If this comes again, start" >&2
        echo "the service once with its old docker-compose.yml, and docker-compose down." >&2
        exit 1
    fi
elif [ "${UPGRADE:-}" != yes ] && [ -s "$old/PG_VERSION" ] && [ "$(tables)" = 0 ]; then
    echo "The volume 'database' holds a database of PostgreSQL $(cat "$old/PG_VERSION"), which was not upgraded yet:" >&2
    echo "    docker-compose down; UPGRADE=yes docker-compose run --rm upgrade; docker-compose --profile upgrade down" >&2
    echo "(docs/how-to/operations.md#update-postgresql), or remove that volume if you do not need it." >&2
    exit 1
fi
exec docker-entrypoint.sh "$@"
