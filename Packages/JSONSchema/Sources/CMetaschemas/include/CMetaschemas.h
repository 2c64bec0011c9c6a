// The metaschemas of JSON Schema draft 2020-12.
#pragma once

#include <stddef.h>

/// The bytes of a metaschema: 0 is the main schema, 1…8 are its vocabularies. NULL past the last.
const unsigned char *_Nullable json_metaschema(size_t index, size_t *_Nonnull length);
