#pragma once

#include <stddef.h>

// MARK: The metaschemas of JSON Schema draft 2020-12 (metaschemas.c)

/// The bytes of a metaschema: 0 is the schema of schemas, 1…8 are its vocabularies. NULL past the last.
const unsigned char *_Nullable fleetkit_metaschema(size_t index, size_t *_Nonnull length);
