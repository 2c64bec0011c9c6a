#!/bin/sh
# Usage: migrate.sh OLD.sqlite NEW.sqlite
# Brings OLD to the schema of NEW, as a careful shell script does: makes a backup, writes the rows to a new file, checks
# the file, compares every row, and puts the new file in place of the old one.
set -eu
old=$1
new=$old.new
rm -f "$new"
sqlite3 "$old" "PRAGMA quick_check" | grep -qx ok
sqlite3 "$old" "VACUUM INTO '$old.backup'"
sync "$old.backup"
sqlite3 "$2" .schema | grep -v sqlite_sequence | sqlite3 "$new"
content='id, title, description, type, visibility, creatorID, forkedFromID, forkCount, ratingAverage, ratingCount, tags, language, createdAt, updatedAt, syncStatus, isPinned, pinnedOrder'
checklists='id, title, description, checklistType, tags, content, creatorID, createdAt, updatedAt, syncStatus'
guides='id, title, description, markdown, tags, creatorID, createdAt, updatedAt, syncStatus'
copy() { echo "INSERT INTO main.$1 ($2) SELECT $2 FROM old.$1;"; }
same() {
  echo "SELECT count(*) FROM (SELECT $2 FROM old.$1 EXCEPT SELECT $2 FROM main.$1);"
  echo "SELECT count(*) FROM (SELECT $2 FROM main.$1 EXCEPT SELECT $2 FROM old.$1);"
}
{
  echo "ATTACH '$old' AS old; BEGIN;"
  copy library_content "$content"; copy checklists "$checklists"; copy practice_guides "$guides"
  copy charters 'id, name, boatName, location, startDate, endDate, checkInChecklistID, createdAt, updatedAt, syncStatus'
  copy checklistExecutionStates 'id, checklistID, charterID, itemStates, progressPercentage, createdAt, lastUpdated, completedAt, syncStatus'
  echo "COMMIT;"
} | sqlite3 "$new"
{
  echo "ATTACH '$old' AS old;"
  same library_content "$content"; same checklists "$checklists"; same practice_guides "$guides"
} | sqlite3 "$new" | { ! grep -qvx 0; }
sqlite3 "$new" "PRAGMA foreign_key_check; PRAGMA quick_check" | grep -qx ok
sync "$new"
mv "$new" "$old"
