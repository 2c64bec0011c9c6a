#!/bin/sh
# Proves that a registry's PostgreSQL database can be restored from a base backup and the WAL archive, to a chosen point
# in time (docs/registry-at-scale.md, "Backups").
#
#   restore-drill.sh DATABASE_URL ARCHIVE_FOLDER
#
# The drill takes a base backup without WAL, sets a restore point, and waits until the server has archived it. Then it
# restores the backup and the archived WAL to that point, in a temporary cluster that listens on a socket in a temporary
# folder. It compares the number of rows and a digest of every table. The database stays in use: at the restore point,
# writers wait for a few milliseconds.
#
# The role needs the rights of a superuser, for the restore point. As root, the script becomes the user in DRILL_USER
# (postgres), who must be able to read the archive. DRILL_FOLDER is the folder for the temporary cluster (/tmp), which
# needs as much space as the database. DRILL_PORT is the number in the socket's name (5439).
#
# Exit status: 0 if every table is the same, 1 if a table differs, 2 if the drill could not be carried out.
set -eu

fail() {
  echo "restore-drill.sh: $*" >&2
  exit 2
}

[ $# = 2 ] || fail "usage: restore-drill.sh DATABASE_URL ARCHIVE_FOLDER"
if [ "$(id -u)" = 0 ]; then exec runuser -u "${DRILL_USER:-postgres}" -- "$0" "$@"; fi
database=$1
archive=$2
port=${DRILL_PORT:-5439}
case "$archive" in *[\'\"\\%]*) fail "the archive's path contains a quote, a backslash or a percent sign" ;; esac
[ -r "$archive" ] || fail "cannot read the archive '$archive' as $(id -un)"

# Debian keeps the server's programs out of PATH, in a folder for each version.
for folder in /usr/lib/postgresql/*/bin; do PATH="$folder:$PATH"; done
for program in psql pg_basebackup pg_ctl; do
  command -v $program >/dev/null || fail "$program is missing: install the packages postgresql and postgresql-client"
done

work=$(mktemp -d "${DRILL_FOLDER:-/tmp}/fleetkit-drill.XXXXXX")
end() {
  if [ -f "$work/data/postmaster.pid" ]; then pg_ctl -D "$work/data" -m immediate stop >/dev/null 2>&1 || true; fi
  rm -rf "$work"
}
trap end EXIT
trap 'exit 2' INT TERM HUP

# The text of a row depends on these settings.
PGOPTIONS="-c timezone=UTC -c datestyle=ISO -c bytea_output=hex -c extra_float_digits=1"
export PGOPTIONS
ask() { printf '%s;\n' "$2" | psql -XqAt -v ON_ERROR_STOP=1 -d "$1" -f -; }

archiving=$(ask "$database" "SHOW archive_mode") || fail "cannot connect to the database"
[ "$archiving" != off ] || fail "archive_mode is off: set archive_mode and archive_command, and restart the server"
name=$(ask "$database" "SELECT current_database()")
tables=$(ask "$database" "SELECT format('%I', tablename) FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1")
[ -n "$tables" ] || fail "the database has no tables"

# The sum of the rows' hashes needs no memory and no order, so it works for tables of any size.
digests=""
for table in $tables; do
  digests="$digests SELECT '$table', count(*), md5(coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text)
    FROM $table t;"
done

echo "base backup …"
pg_basebackup -d "$database" -D "$work/data" -X none -c fast || fail "the base backup failed"

# The lock waits for the changes in progress, and new ones wait for the lock. The snapshot therefore contains exactly the
# changes before the restore point. Rolling back to the savepoint ends the lock; the snapshot remains.
point="drill-$$-$(date +%s)"
echo "restore point $point …"
ask "$database" "
  BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL lock_timeout = '10s';
  SAVEPOINT lock;
  LOCK TABLE $(echo "$tables" | paste -sd, -) IN SHARE MODE;
  SELECT pg_create_restore_point('$point') \g $work/lsn
  ROLLBACK TO SAVEPOINT lock;
  $digests
  COMMIT;" >"$work/expected" || fail "cannot set the restore point"

segment=$(ask "$database" "SELECT pg_walfile_name('$(cat "$work/lsn")')")
ask "$database" "SELECT pg_switch_wal()" >/dev/null
waited=0
while [ "$(ask "$database" "SELECT coalesce(last_archived_wal >= '$segment', false) FROM pg_stat_archiver")" != t ]; do
  [ $waited -lt "${DRILL_WAIT:-120}" ] || fail "the server did not archive $segment: read pg_stat_archiver"
  sleep 1
  waited=$((waited + 1))
done

echo "restore …"
# The temporary cluster does not use the server's configuration, and nothing can connect to it from outside.
cat >"$work/restore.conf" <<END
data_directory = '$work/data'
hba_file = '$work/hba.conf'
ident_file = '$work/ident.conf'
listen_addresses = ''
unix_socket_directories = '$work'
port = $port
archive_mode = off
hot_standby = off
fsync = off
restore_command = 'cp "$archive/%f" "%p"'
recovery_target_name = '$point'
recovery_target_action = promote
END
echo "local all all trust" >"$work/hba.conf"
: >"$work/ident.conf"
rm -f "$work/data/postgresql.auto.conf"
touch "$work/data/recovery.signal"
pg_ctl -D "$work/data" -o "-c config_file=$work/restore.conf" -l "$work/log" -w -t 86400 start >/dev/null 2>&1 ||
  fail "the restored cluster did not start: $(tail -5 "$work/log")"
# The cluster accepts connections when it has reached the point.
role=$(ask "$database" "SELECT current_user")
restored="host=$work port=$port dbname=$name user=$role"
until ask "$restored" "SELECT 1" >/dev/null 2>&1; do
  pg_ctl -D "$work/data" status >/dev/null 2>&1 || fail "the restore failed: $(tail -5 "$work/log")"
  sleep 1
done
ask "$restored" "$digests" >"$work/found" || fail "cannot read the restored database"
grep -q "recovery stopping at restore point \"$point\"" "$work/log" || fail "the restore did not stop at the point"

echo "table|rows|digest" | cat - "$work/expected"
if ! cmp -s "$work/expected" "$work/found"; then
  echo "the restored database differs:" >&2
  diff "$work/expected" "$work/found" >&2 || true
  exit 1
fi
echo "restored: every table is the same"
