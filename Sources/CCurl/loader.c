#include "CCurl.h"
#include "functions.h"

#include <dlfcn.h>
#include <pthread.h>

// If libcurl were linked in the usual way, every start of the command would load some twenty libraries, although most
// runs send nothing. That costs more than validating a file.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static fleetkit_curl_functions functions;
static bool is_ready;
static const char *version = "";

static bool take(void *library, const char *name, void *into) {
  // POSIX guarantees that dlsym returns a function if one was asked for; ISO C has no cast for it.
  void *found = dlsym(library, name);
  *(void **)into = found;
  return found != NULL;
}

static bool take_all(void *library) {
  CURLcode (*start)(long);
  curl_version_info_data *(*versions)(CURLversion);
  if (!take(library, "curl_easy_init", &functions.init) || !take(library, "curl_easy_cleanup", &functions.cleanup) ||
      !take(library, "curl_easy_reset", &functions.reset) || !take(library, "curl_easy_perform", &functions.perform) ||
      !take(library, "curl_easy_setopt", &functions.set) || !take(library, "curl_easy_getinfo", &functions.info) ||
      !take(library, "curl_easy_strerror", &functions.words) ||
      !take(library, "curl_slist_append", &functions.append) ||
      !take(library, "curl_slist_free_all", &functions.free_list) ||
      !take(library, "curl_global_init", &start) || !take(library, "curl_version_info", &versions))
    return false;
  if (start(CURL_GLOBAL_DEFAULT) != CURLE_OK) return false;
  const curl_version_info_data *data = versions(CURLVERSION_NOW);
  version = data->version;
  return (data->features & CURL_VERSION_SSL) != 0;
}

static void load(void) {
  static const char *const names[] = {
#ifdef __APPLE__
      "/usr/lib/libcurl.4.dylib",
#else
      "libcurl.so.4", "libcurl-gnutls.so.4",
#endif
  };
  for (size_t i = 0; !is_ready && i < sizeof names / sizeof *names; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) is_ready = take_all(library);
  }
}

bool fleetkit_curl_load(void) {
  pthread_once(&once, load);
  return is_ready;
}

const fleetkit_curl_functions *fleetkit_curl_get(void) { return fleetkit_curl_load() ? &functions : NULL; }

const char *fleetkit_curl_version(void) {
  fleetkit_curl_load();
  return version;
}
