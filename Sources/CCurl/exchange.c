// The compiler runs in strict C mode, which hides POSIX.
#define _POSIX_C_SOURCE 200809L

#include "CCurl.h"
#include "functions.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// By number: older headers lack the first, and newer ones deprecate the second.
#define PROTOCOLS_BY_NAME ((CURLoption)10318)
#define PROTOCOLS_BY_BITS ((CURLoption)181)

struct fleetkit_curl_stop {
  atomic_bool is_set;
};

/// Bytes that grow up to a limit.
typedef struct {
  uint8_t *bytes;
  size_t count, capacity, limit;
  bool is_full;
} collected;

struct fleetkit_curl {
  CURL *easy;
  collected head, body;
  char message[CURL_ERROR_SIZE];
};

fleetkit_curl_stop *fleetkit_curl_stop_make(void) { return calloc(1, sizeof(fleetkit_curl_stop)); }
void fleetkit_curl_stop_set(fleetkit_curl_stop *stop) { atomic_store(&stop->is_set, true); }
void fleetkit_curl_stop_free(fleetkit_curl_stop *stop) { free(stop); }

fleetkit_curl *fleetkit_curl_open(void) {
  const fleetkit_curl_functions *curl = fleetkit_curl_get();
  fleetkit_curl *handle = curl ? calloc(1, sizeof *handle) : NULL;
  if (handle && !(handle->easy = curl->init())) {
    free(handle);
    return NULL;
  }
  return handle;
}

void fleetkit_curl_close(fleetkit_curl *handle) {
  if (!handle) return;
  fleetkit_curl_get()->cleanup(handle->easy);
  free(handle->head.bytes);
  free(handle->body.bytes);
  free(handle);
}

static size_t collect(collected *into, const char *bytes, size_t count) {
  if (count > into->limit - into->count) {
    into->is_full = true;
    return 0;
  }
  if (count > into->capacity - into->count) {
    size_t capacity = into->capacity * 2 > into->count + count ? into->capacity * 2 : into->count + count + 1024;
    uint8_t *moved = realloc(into->bytes, capacity);
    if (!moved) return 0;
    into->bytes = moved;
    into->capacity = capacity;
  }
  memcpy(into->bytes + into->count, bytes, count);
  into->count += count;
  return count;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  return collect(&((fleetkit_curl *)context)->body, bytes, size * count) == size * count ? size * count : 0;
}

static size_t take_head(char *bytes, size_t size, size_t count, void *context) {
  fleetkit_curl *handle = context;
  // Interim responses such as 100 Continue come before the answer; only the last head counts.
  if (size * count >= 5 && memcmp(bytes, "HTTP/", 5) == 0) handle->head.count = 0;
  return collect(&handle->head, bytes, size * count) == size * count ? size * count : 0;
}

/// Whether a head has the empty line that ends it.
static bool is_whole(const collected *head) {
  return (head->count >= 4 && memcmp(head->bytes + head->count - 3, "\n\r\n", 3) == 0) ||
         (head->count >= 2 && memcmp(head->bytes + head->count - 2, "\n\n", 2) == 0);
}

static int watch(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  return atomic_load(&((fleetkit_curl_stop *)context)->is_set) ? 1 : 0;
}

/// Whether a byte of the request itself, rather than of the connection setup, may have been sent.
static bool has_left(CURL *easy) {
  const fleetkit_curl_functions *curl = fleetkit_curl_get();
  long sent = 0;
  double ready = 0;
  curl->info(easy, CURLINFO_REQUEST_SIZE, &sent);
  curl->info(easy, CURLINFO_PRETRANSFER_TIME, &ready);
  return sent > 0 && ready > 0;
}

static fleetkit_curl_outcome outcome_of(const fleetkit_curl *handle, CURLcode code) {
  const fleetkit_curl_functions *curl = fleetkit_curl_get();
  switch (code) {
  case CURLE_OK: return FLEETKIT_CURL_ANSWERED;
  case CURLE_ABORTED_BY_CALLBACK: return FLEETKIT_CURL_STOPPED;
  case CURLE_WRITE_ERROR:
    return handle->head.is_full || handle->body.is_full ? FLEETKIT_CURL_TOO_LARGE : FLEETKIT_CURL_BROKEN;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_SSL_ISSUER_ERROR:
  case CURLE_SSL_INVALIDCERTSTATUS: return FLEETKIT_CURL_UNTRUSTED;
  case CURLE_SSL_CONNECT_ERROR: return FLEETKIT_CURL_NO_TLS;
  case CURLE_WEIRD_SERVER_REPLY:
  case CURLE_BAD_CONTENT_ENCODING:
  case CURLE_UNSUPPORTED_PROTOCOL:  // HTTP/0.9, when something was reached at all
    return has_left(handle->easy) ? FLEETKIT_CURL_UNREADABLE : FLEETKIT_CURL_UNREACHABLE;
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_CONNECT:
  case CURLE_URL_MALFORMAT:
  case CURLE_FAILED_INIT:
  case CURLE_OUT_OF_MEMORY: return FLEETKIT_CURL_UNREACHABLE;
  default: break;
  }
  long tunnel = 0;
  curl->info(handle->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
  // A proxy that refuses a tunnel has not passed anything on.
  if (tunnel >= 300 || !has_left(handle->easy)) return FLEETKIT_CURL_UNREACHABLE;
  return code == CURLE_OPERATION_TIMEDOUT ? FLEETKIT_CURL_TIMED_OUT : FLEETKIT_CURL_BROKEN;
}

/// Sends and waits. A closed connection is reported as an error and not as SIGPIPE, which would end the whole program:
/// OpenSSL writes without blocking this signal. macOS has a socket option for it, which libcurl sets.
static CURLcode perform(CURL *easy) {
#ifdef __linux__
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  CURLcode code = fleetkit_curl_get()->perform(easy);
  if (!was_pending && sigismember(&before, SIGPIPE) == 0) {
    struct timespec none = {0};
    sigtimedwait(&pipe, NULL, &none);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
#else
  return fleetkit_curl_get()->perform(easy);
#endif
}

static void prepare(
    fleetkit_curl *handle, const fleetkit_curl_request *request, const fleetkit_curl_stop *stop,
    struct curl_slist *fields) {
  CURL *easy = handle->easy;
  CURLcode (*set)(CURL *, CURLoption, ...) = fleetkit_curl_get()->set;
  set(easy, CURLOPT_URL, request->url);
  set(easy, CURLOPT_USERAGENT, request->user_agent);
  set(easy, CURLOPT_HTTPHEADER, fields);
  set(easy, CURLOPT_ERRORBUFFER, handle->message);
  // Timers based on signals would interrupt any thread of the program.
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_NETRC, 0L);
  set(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (set(easy, PROTOCOLS_BY_NAME, "http,https") != CURLE_OK) set(easy, PROTOCOLS_BY_BITS, 3L);
  set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  set(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (request->authorities) set(easy, CURLOPT_CAINFO, request->authorities);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, request->connect_milliseconds);
  set(easy, CURLOPT_TIMEOUT_MS, request->total_milliseconds);
  set(easy, CURLOPT_LOW_SPEED_LIMIT, request->slow_bytes);
  set(easy, CURLOPT_LOW_SPEED_TIME, request->slow_seconds);
  if (request->direct) set(easy, CURLOPT_PROXY, "");
  if (request->once) set(easy, CURLOPT_FRESH_CONNECT, 1L);
  set(easy, CURLOPT_WRITEFUNCTION, take_body);
  set(easy, CURLOPT_WRITEDATA, handle);
  set(easy, CURLOPT_HEADERFUNCTION, take_head);
  set(easy, CURLOPT_HEADERDATA, handle);
  if (stop) {
    set(easy, CURLOPT_NOPROGRESS, 0L);
    set(easy, CURLOPT_XFERINFOFUNCTION, watch);
    set(easy, CURLOPT_XFERINFODATA, stop);
  }
  if (strcmp(request->method, "HEAD") == 0) {
    set(easy, CURLOPT_NOBODY, 1L);
  } else if (request->has_body) {
    set(easy, CURLOPT_POST, 1L);
    set(easy, CURLOPT_POSTFIELDS, request->body ? (const char *)request->body : "");
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
    set(easy, CURLOPT_CUSTOMREQUEST, request->method);
  } else {
    set(easy, CURLOPT_HTTPGET, 1L);
    set(easy, CURLOPT_CUSTOMREQUEST, request->method);
  }
}

fleetkit_curl_answer fleetkit_curl_perform(
    fleetkit_curl *handle, const fleetkit_curl_request *request, const fleetkit_curl_stop *stop) {
  const fleetkit_curl_functions *curl = fleetkit_curl_get();
  fleetkit_curl_answer answer = {.outcome = FLEETKIT_CURL_UNREACHABLE, .message = "out of memory"};
  struct curl_slist *fields = NULL;
  for (size_t i = 0; i < request->field_count; i++) {
    struct curl_slist *more = curl->append(fields, request->fields[i]);
    if (!more) {
      curl->free_list(fields);
      return answer;
    }
    fields = more;
  }
  handle->head.count = handle->body.count = 0;
  handle->head.is_full = handle->body.is_full = false;
  handle->head.limit = request->head_limit;
  handle->body.limit = request->body_limit;
  handle->message[0] = 0;
  // Clears the options and keeps the connections.
  curl->reset(handle->easy);
  prepare(handle, request, stop, fields);
  CURLcode code = perform(handle->easy);
  // libcurl accepts a truncated head; here it is an error, because fields may be missing.
  if (code == CURLE_OK && !is_whole(&handle->head)) code = CURLE_RECV_ERROR;
  long status = 0;
  curl->info(handle->easy, CURLINFO_RESPONSE_CODE, &status);
  answer = (fleetkit_curl_answer){
      .outcome = outcome_of(handle, code),
      .message = code == CURLE_OK ? "" : handle->message[0] ? handle->message : curl->words(code),
      .status = (int)status,
      .head = handle->head.bytes,
      .head_length = handle->head.count,
      .body = handle->body.bytes,
      .body_length = handle->body.count,
  };
  curl->set(handle->easy, CURLOPT_HTTPHEADER, NULL);
  curl->free_list(fields);
  return answer;
}
