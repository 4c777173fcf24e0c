#!/bin/sh
# Starts PostgreSQL in Compose. While there is a database of an older version, the new one must hold the service's tables:
# otherwise everybody would find the service empty. UPGRADE=yes lets it start empty, to be filled from the old one.
set -eu
new=${PGDATA:-/var/lib/postgresql/data}
old=${OLD_PGDATA:-/old}

# Prints 1 if the new database holds the service's tables, 0 if not, and nothing if the server cannot tell before it starts.
tables() {
    [ -s "$new/PG_VERSION" ] || { echo 0; return; }
    echo "SELECT count(*) AS found FROM pg_class WHERE relname = 'django_migrations'" |
        postgres --single -D "$new" "$POSTGRES_DB" 2>/dev/null | sed -n 's/.*found = "\([01]\)".*/\1/p'
}

if [ "${UPGRADE:-}" != yes ] && [ -s "$old/PG_VERSION" ] && [ "$(tables)" = 0 ]; then
    echo "The volume 'database' holds a database of PostgreSQL $(cat "$old/PG_VERSION"), which was not upgraded yet. Run" >&2
    echo "    UPGRADE=yes docker-compose run --rm upgrade" >&2
    echo "(docs/how-to/operations.md#update-postgresql), or remove that volume if you do not need it." >&2
    exit 1
fi
exec docker-entrypoint.sh "$@"
