// The schemas that the binary carries.
#pragma once

#include <stddef.h>

// MARK: FleetKit's own schemas (fleetkit_schemas.c)

/// One file of formats/schemas.
typedef struct {
    /// Its path there without the ending, such as "canonical/library-item".
    const char *_Nonnull name;
    /// Its bytes, UTF-8. They live as long as the program and do not end with a zero.
    const unsigned char *_Nonnull bytes;
    size_t count;
} fleetkit_schema;

/// How many schemas there are.
size_t fleetkit_schema_count(void);

/// A schema by its number, in the order of the names; NULL behind the last.
const fleetkit_schema *_Nullable fleetkit_schema_at(size_t index);

// MARK: The metaschemas of JSON Schema draft 2020-12 (metaschemas.c)

/// The bytes of a metaschema: 0 is the schema of schemas, 1…8 are its vocabularies. NULL past the last.
const unsigned char *_Nullable fleetkit_metaschema(size_t index, size_t *_Nonnull length);
