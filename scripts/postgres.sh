#!/usr/bin/env bash
# A PostgreSQL of its own, for tests and benchmarks: its own directory, its own port, nothing installed, no service.
#
#   scripts/postgres.sh start [DIR]     creates it in DIR if need be, starts it, and prints its URL
#   scripts/postgres.sh restart [DIR]   as after a crash: no connection is ended in good order
#   scripts/postgres.sh stop [DIR]
#   scripts/postgres.sh remove [DIR]    stops it and deletes DIR
#   scripts/postgres.sh binaries        prints where its programs are, or why there are none
#
# DIR is effect-agent-context-postgres among the system's temporary files unless given. Made for tests: anybody on this machine
# may connect, and it does not wait for the disk, so that a loss of power would lose data. A crash of it would not.
set -euo pipefail

command=${1:-}
directory=${2:-${TMPDIR:-/tmp}/effect-agent-context-postgres}
data=$directory/data

binaries() {
  local candidate
  # Debian puts them where no path leads.
  for candidate in "${PG_BINDIR:-}" "$(pg_config --bindir 2>/dev/null || true)" /usr/lib/postgresql/*/bin \
    /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin "$(dirname "$(command -v pg_ctl || echo /)")"; do
    if [ -x "$candidate/initdb" ] && [ -x "$candidate/pg_ctl" ]; then
      echo "$candidate"
      return
    fi
  done
  echo "no PostgreSQL server is installed here (apt-get install postgresql, or set PG_BINDIR)" >&2
  return 1
}

bin=$(binaries)
options="-h 127.0.0.1 -k $directory -c fsync=off -c max_connections=300 -c shared_buffers=256MB"

# It refuses to run as root; Debian's package makes a user for it.
as_owner() {
  if [ "$(id -u)" -ne 0 ]; then "$@"
  elif command -v runuser >/dev/null; then runuser -u postgres -- "$@"
  else su postgres -s /bin/sh -c "$(printf '%q ' "$@")"; fi
}

free_port() {
  local port
  for _ in $(seq 50); do
    port=$((20000 + RANDOM % 20000))
    if ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
  echo "no free port" >&2
  return 1
}

url() {
  echo "postgres://postgres@127.0.0.1:$(cat "$directory/port")/postgres"
}

running() {
  as_owner "$bin/pg_ctl" -D "$data" status >/dev/null 2>&1
}

control() {
  (cd / && as_owner "$bin/pg_ctl" -D "$data" -l "$directory/log" -w -s "$@" </dev/null >/dev/null)
}

case $command in
  binaries)
    echo "$bin"
    ;;
  start)
    if [ ! -f "$data/PG_VERSION" ]; then
      mkdir -p "$directory"
      if [ "$(id -u)" -eq 0 ]; then chown postgres "$directory"; fi
      (cd / && as_owner "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C -N >/dev/null)
    fi
    if ! running; then
      port=$(free_port)
      (umask 022 && echo "$port" >"$directory/port")
      control start -o "-p $port $options"
    fi
    url
    ;;
  restart)
    control stop -m immediate || true
    control start -o "-p $(cat "$directory/port") $options"
    url
    ;;
  stop)
    if running; then control stop -m fast; fi
    ;;
  remove)
    if running; then control stop -m immediate; fi
    rm -rf "$directory"
    ;;
  *)
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
    ;;
esac
