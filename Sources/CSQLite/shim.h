// Debian, Apple and others build SQLite with it; the header only shows it on demand.
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include <sqlite3.h>

// Counting every allocation takes a lock each time, and nobody here asks for the count. Only before SQLite is used; it
// takes a variable number of arguments, which Swift cannot pass.
static inline int fleetkit_sqlite_without_memory_status(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
