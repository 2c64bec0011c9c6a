// The interface's description, embedded byte for byte. The compiler records the file as a dependency, so that the next
// build embeds an edited description.

#include "CDescription.h"

// Every compiler that builds FleetKit supports #embed, but warns that it is a C23 extension.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../RegistryAPI/Description/openapi.json"
};

const unsigned char *fleetkit_openapi(size_t *count) {
  *count = sizeof openapi;
  return openapi;
}
