// FleetKit's schemas, which are embedded in the binary.
#pragma once

#include <stddef.h>

/// One file of formats/schemas.
typedef struct {
    /// Its path in that folder without the extension, such as "canonical/library-item".
    const char *_Nonnull name;
    /// Its bytes in UTF-8. They live as long as the program and do not end with a zero.
    const unsigned char *_Nonnull bytes;
    size_t count;
} fleetkit_schema;

/// The number of schemas.
size_t fleetkit_schema_count(void);

/// Returns a schema by its index, in the order of the names; NULL past the last.
const fleetkit_schema *_Nullable fleetkit_schema_at(size_t index);
