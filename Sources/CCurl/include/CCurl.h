#ifndef FLEETKIT_CCURL_H
#define FLEETKIT_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The part of libcurl that FleetKit needs, in fixed types. curl's own setters take a variable number of arguments,
// which Swift cannot call. curl's header is not needed to use this one.

/// Loads libcurl once; may be called from any thread. False if the machine has no usable libcurl.
bool fleetkit_curl_load(void);

/// The version of the loaded library, `7.88.1`; empty if none is loaded.
const char *fleetkit_curl_version(void);

/// A connection that is kept alive, with the content of the last answer. One thread at a time.
typedef struct fleetkit_curl fleetkit_curl;

/// The outcome of an exchange.
typedef enum {
  /// There is an answer.
  FLEETKIT_CURL_ANSWERED = 0,
  /// No server was reached; the request was never sent.
  FLEETKIT_CURL_UNREACHABLE,
  /// The server's certificate was not accepted; the request was never sent.
  FLEETKIT_CURL_UNTRUSTED,
  /// The server does not speak TLS; the request was never sent.
  FLEETKIT_CURL_NO_TLS,
  /// The time ran out while the request was, or may have been, on its way.
  FLEETKIT_CURL_TIMED_OUT,
  /// The connection ended before the answer did.
  FLEETKIT_CURL_BROKEN,
  /// The answer is larger than allowed.
  FLEETKIT_CURL_TOO_LARGE,
  /// The response is not HTTP.
  FLEETKIT_CURL_UNREADABLE,
  /// The caller asked to stop.
  FLEETKIT_CURL_STOPPED,
} fleetkit_curl_outcome;

/// The request. All strings end with NUL and are only read during the call.
typedef struct {
  const char *method;
  const char *url;
  const char *user_agent;
  /// `Name: value`, in order.
  const char *const *fields;
  size_t field_count;
  const uint8_t *body;
  size_t body_length;
  /// The PEM file of the trusted authorities; NULL for the system's.
  const char *authorities;
  /// The time limit in milliseconds until a connection is established, encryption included.
  long connect_milliseconds;
  /// The time limit in milliseconds for the whole exchange.
  long total_milliseconds;
  /// A transfer of fewer bytes per second than this…
  long slow_bytes;
  /// …for this many seconds is a timeout.
  long slow_seconds;
  /// The largest sizes of the answer's header and of its body in bytes.
  size_t head_limit;
  size_t body_limit;
  /// Whether there is a body, which may be empty.
  bool has_body;
  /// Connects directly, whatever the proxy variables contain.
  bool direct;
  /// Opens a new connection, so that libcurl never sends the request twice.
  bool once;
} fleetkit_curl_request;

/// The response. The handle owns the memory until its next call.
typedef struct {
  fleetkit_curl_outcome outcome;
  /// curl's description of the error; empty if there was none.
  const char *message;
  int status;
  /// The lines of the header unchanged, with the status line first.
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

/// NULL if libcurl is missing or there is no memory.
fleetkit_curl *fleetkit_curl_open(void);
void fleetkit_curl_close(fleetkit_curl *handle);

/// Sends a request and waits for its answer.
fleetkit_curl_answer fleetkit_curl_perform(
    fleetkit_curl *handle, const fleetkit_curl_request *request, const fleetkit_curl_stop *stop);

#endif
