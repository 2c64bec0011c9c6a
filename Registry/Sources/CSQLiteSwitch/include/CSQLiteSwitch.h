#ifndef CSQLITESWITCH_H
#define CSQLITESWITCH_H

/// `sqlite3_db_config` for the switches that take an `int`. It takes a variable number of arguments, which Swift cannot
/// pass.
///
/// \param connection an open `sqlite3 *`.
/// \param option SQLITE_DBCONFIG_…
/// \param value 1 to turn the switch on, 0 to turn it off, -1 to read it.
/// \param is_on whether the switch is on afterwards.
/// \return SQLITE_OK, or SQLITE_ERROR if this SQLite does not have the switch.
int registry_sqlite_switch(void *connection, int option, int value, int *is_on);

#endif
