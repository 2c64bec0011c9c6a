// Debian, Apple and others build SQLite with this option; the header declares the functions only if it is defined.
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include <sqlite3.h>

// Wrappers for functions with a variable number of arguments, which Swift cannot call.

// Counting allocations takes a lock for each of them, and the count is not used. Call this before SQLite is used.
static inline int fleetkit_sqlite_without_memory_status(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Switches an option of a connection on (1) or off (0).
static inline int fleetkit_sqlite_set(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// Whether an option of a connection is on.
static inline int fleetkit_sqlite_is_set(sqlite3 *database, int option) {
  int value = -1;
  return sqlite3_db_config(database, option, -1, &value) == SQLITE_OK ? value : -1;
}
