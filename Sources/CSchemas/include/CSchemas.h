// The schemas that the binary carries.
#pragma once

#include <stddef.h>

// MARK: FleetKit's own schemas (fleetkit_schemas.c)

/// One file of formats/schemas.
typedef struct {
    /// Its path there without the ending, such as "canonical/library-item".
    const char *name;
    /// Its bytes, UTF-8. They live as long as the program and do not end with a zero.
    const unsigned char *bytes;
    size_t count;
} fleetkit_schema;

/// How many schemas there are.
size_t fleetkit_schema_count(void);

/// A schema by its number, in the order of the names; NULL behind the last.
const fleetkit_schema *fleetkit_schema_at(size_t index);
