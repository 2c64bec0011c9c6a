#ifndef CDESCRIPTION_H
#define CDESCRIPTION_H

#include <stddef.h>

/// The OpenAPI document of the interface, byte for byte; no NUL at its end.
extern const unsigned char *fleetkit_openapi(size_t *count);

#endif
