#ifndef FLEETKIT_CCURL_FUNCTIONS_H
#define FLEETKIT_CCURL_FUNCTIONS_H

#include <curl/curl.h>

/// libcurl's functions, once it is loaded.
typedef struct {
  CURL *(*init)(void);
  void (*cleanup)(CURL *);
  void (*reset)(CURL *);
  CURLcode (*perform)(CURL *);
  CURLcode (*set)(CURL *, CURLoption, ...);
  CURLcode (*info)(CURL *, CURLINFO, ...);
  const char *(*words)(CURLcode);
  struct curl_slist *(*append)(struct curl_slist *, const char *);
  void (*free_list)(struct curl_slist *);
} fleetkit_curl_functions;

/// NULL if the machine has no usable libcurl.
const fleetkit_curl_functions *fleetkit_curl_get(void);

#endif
