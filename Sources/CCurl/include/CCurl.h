#ifndef FLEETKIT_CCURL_H
#define FLEETKIT_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What FleetKit needs of libcurl, in fixed types: curl's own setters take any number of arguments, which Swift cannot
// call, and its header is not needed to use ours.

/// Loads libcurl once; any thread may ask. False when the machine has none that can be used.
bool fleetkit_curl_load(void);

/// Version of the loaded library, `7.88.1`; empty when there is none.
const char *fleetkit_curl_version(void);

/// A connection that is kept alive, with what the last answer brought. One thread at a time.
typedef struct fleetkit_curl fleetkit_curl;

/// What ended an exchange.
typedef enum {
  /// There is an answer.
  FLEETKIT_CURL_ANSWERED = 0,
  /// Nobody was reached; the request never left.
  FLEETKIT_CURL_UNREACHABLE,
  /// Whoever was reached could not prove to be who was asked for; the request never left.
  FLEETKIT_CURL_UNTRUSTED,
  /// Whoever was reached does not speak TLS; the request never left.
  FLEETKIT_CURL_NO_TLS,
  /// Out of time while the request was, or may have been, on its way.
  FLEETKIT_CURL_TIMED_OUT,
  /// The connection ended before the answer did.
  FLEETKIT_CURL_BROKEN,
  /// The answer is larger than allowed.
  FLEETKIT_CURL_TOO_LARGE,
  /// What came is no HTTP.
  FLEETKIT_CURL_UNREADABLE,
  /// The caller asked to stop.
  FLEETKIT_CURL_STOPPED,
} fleetkit_curl_outcome;

/// What is sent. All texts end with NUL and are only looked at during the call.
typedef struct {
  const char *method;
  const char *url;
  const char *user_agent;
  /// `Name: value`, in their order.
  const char *const *fields;
  size_t field_count;
  const uint8_t *body;
  size_t body_length;
  /// PEM file of the authorities to trust; NULL for the system's.
  const char *authorities;
  /// Milliseconds until a connection stands, encryption included.
  long connect_milliseconds;
  /// Milliseconds for all of it.
  long total_milliseconds;
  /// Fewer bytes a second than this…
  long slow_bytes;
  /// …for so many seconds is a timeout.
  long slow_seconds;
  /// Most bytes of the answer's header and of its body.
  size_t head_limit;
  size_t body_limit;
  /// Whether there is a body, be it of no bytes.
  bool has_body;
  /// Goes straight there, whatever the proxy variables say.
  bool direct;
  /// Opens a connection of its own, so that libcurl never sends the request twice.
  bool once;
} fleetkit_curl_request;

/// What came back. The memory is the handle's, until the next call with it.
typedef struct {
  fleetkit_curl_outcome outcome;
  /// curl's words for what went wrong; empty when nothing did.
  const char *message;
  int status;
  /// The header's lines as they came, the status line first.
  const uint8_t *head;
  size_t head_length;
  const uint8_t *body;
  size_t body_length;
} fleetkit_curl_answer;

/// Ends exchanges of other threads within about a second.
typedef struct fleetkit_curl_stop fleetkit_curl_stop;
fleetkit_curl_stop *fleetkit_curl_stop_make(void);
void fleetkit_curl_stop_set(fleetkit_curl_stop *stop);
void fleetkit_curl_stop_free(fleetkit_curl_stop *stop);

/// NULL when libcurl is missing or there is no memory.
fleetkit_curl *fleetkit_curl_open(void);
void fleetkit_curl_close(fleetkit_curl *handle);

/// Sends a request and waits for its answer.
fleetkit_curl_answer fleetkit_curl_perform(
    fleetkit_curl *handle, const fleetkit_curl_request *request, const fleetkit_curl_stop *stop);

#endif
