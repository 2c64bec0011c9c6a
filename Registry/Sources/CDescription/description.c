// The interface's description, embedded byte for byte. The compiler notes the file as a dependency, so that an edited
// description is embedded anew by the next build.

#include "CDescription.h"

// Every compiler that builds FleetKit knows #embed; it only says that C23 brought it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../RegistryAPI/Description/openapi.json"
};

const unsigned char *fleetkit_openapi(size_t *count) {
  *count = sizeof openapi;
  return openapi;
}
