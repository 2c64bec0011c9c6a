// Debian, Apple and others build SQLite with it; the header only shows it on demand.
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include <sqlite3.h>
