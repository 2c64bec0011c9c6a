#ifndef CPAGES_H
#define CPAGES_H

#include <stddef.h>

/// The resource with a file name, byte for byte, without a NUL at its end; NULL if there is none.
extern const unsigned char *fleetkit_page_resource(const char *name, size_t *count);

#endif
