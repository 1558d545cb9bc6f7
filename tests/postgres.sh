#!/usr/bin/env bash
# Starts a temporary PostgreSQL server and runs a command with TEST_PG_URL set to it.
# If TEST_PG_URL is set already, the command runs with that server.
set -euo pipefail

if [ -n "${TEST_PG_URL:-}" ]; then
  exec "$@"
fi

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || { echo "PostgreSQL is not installed: run tests/install.sh postgresql" >&2; exit 1; }

home=$(mktemp -d)
as_server=()
# The server refuses to run as root.
if [ "$(id -u)" -eq 0 ]; then
  chown postgres "$home"
  as_server=(runuser -u postgres --)
fi
stop() {
  "${as_server[@]}" "$bin/pg_ctl" -D "$home/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$home"
}
trap stop EXIT

"${as_server[@]}" "$bin/initdb" -A trust -U postgres -E UTF8 --locale=C.UTF-8 -D "$home/data" >/dev/null
# Clients connect through a socket in the directory, so that no port can be taken. The data is temporary, so fsync is off.
"${as_server[@]}" "$bin/pg_ctl" -w -D "$home/data" -l "$home/log" start \
  -o "-k $home -c listen_addresses= -c max_connections=200 -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off" >/dev/null
export TEST_PG_URL="postgres://postgres@${home//\//%2F}"
"$@"
