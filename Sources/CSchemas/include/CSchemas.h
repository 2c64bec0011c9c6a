// The schemas that are embedded in the binary.
#pragma once

#include <stddef.h>

// MARK: FleetKit's own schemas (fleetkit_schemas.c)

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

// MARK: The metaschemas of JSON Schema draft 2020-12 (metaschemas.c)

/// The bytes of a metaschema: 0 is the main schema, 1…8 are its vocabularies. NULL past the last.
const unsigned char *_Nullable fleetkit_metaschema(size_t index, size_t *_Nonnull length);
