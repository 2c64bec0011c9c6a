#include "include/CSQLiteSwitch.h"

#include <sqlite3.h>

int registry_sqlite_switch(void *connection, int option, int value, int *is_on) {
  return sqlite3_db_config((sqlite3 *)connection, option, value, is_on);
}
