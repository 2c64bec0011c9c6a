#include "CXML.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// The few declarations of libxml/parser.h and libxml/xmlerror.h that are needed. They are part of libxml2's binary
// interface and the same in all its versions since 2.6.

typedef struct xml_context xml_context;
typedef const unsigned char *xml_text;

/// The first fields of `xmlError`.
typedef struct {
  int domain, code;
  char *message;
  int level;
} xml_error;

/// `xmlSAXHandler`; fields that are not named here are never set.
typedef struct {
  void (*internal_subset)(void *, xml_text name, xml_text public_id, xml_text system_id);
  void (*before_characters[16])(void);
  void (*characters)(void *, xml_text, int);
  void (*ignorable_whitespace)(void *, xml_text, int);
  void (*instruction)(void *, xml_text target, xml_text content);
  void (*before_cdata[5])(void);
  void (*cdata)(void *, xml_text, int);
  void (*external_subset)(void);
  unsigned int initialized;
  void *private_data;
  void (*start_element)(void *, xml_text, xml_text, xml_text, int, xml_text *, int, int, xml_text *);
  void (*end_element)(void *, xml_text, xml_text, xml_text);
  void (*error)(void *, const xml_error *);
} xml_sax;

// From xmlParserOption. Entities are replaced because libxml2 otherwise leaves '&amp;' in attributes as '&#38;'. Only
// XML's five entities exist: declarations are never read, and no function looks one up.
enum { REPLACE_ENTITIES = 1 << 1, NO_WARNINGS = 1 << 6, NO_NETWORK = 1 << 11, IGNORE_ENCODING = 1 << 21 };
// From xmlError.
enum { DOMAIN_NAMESPACE = 3, LEVEL_ERROR = 2, LEVEL_FATAL = 3 };
#define SAX2_MAGIC 0xDEEDBEAFu

// If libxml2 were linked in the usual way, every start of the command would load ICU and LZMA, although most runs read
// no XML.
typedef struct {
  void (*init)(void);
  xml_context *(*create)(xml_sax *, void *, const char *, int, const char *);
  int (*use_options)(xml_context *, int);
  int (*parse)(xml_context *, const char *, int, int);
  long (*consumed)(xml_context *);
  void (*stop)(xml_context *);
  void (*free)(xml_context *);
} functions;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static functions xml;
static bool is_ready;

static bool take(void *library, const char *name, void *into) {
  // POSIX guarantees that dlsym returns a function if one was asked for; ISO C has no cast for it.
  return (*(void **)into = dlsym(library, name)) != NULL;
}

static bool take_all(const char *name, functions *into) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return library && take(library, "xmlInitParser", &into->init) &&
      take(library, "xmlCreatePushParserCtxt", &into->create) &&
      take(library, "xmlCtxtUseOptions", &into->use_options) && take(library, "xmlParseChunk", &into->parse) &&
      take(library, "xmlByteConsumed", &into->consumed) && take(library, "xmlStopParser", &into->stop) &&
      take(library, "xmlFreeParserCtxt", &into->free);
}

static void load(void) {
  static const char *const names[] = {
#ifdef __APPLE__
      "/usr/lib/libxml2.2.dylib", "libxml2.dylib",
#else
      "libxml2.so.2", "libxml2.so.16",
#endif
  };
  for (size_t i = 0; !is_ready && i < sizeof names / sizeof *names; i++) is_ready = take_all(names[i], &xml);
  if (is_ready) xml.init();
}

bool fleetkit_xml_load(void) {
  pthread_once(&once, load);
  return is_ready;
}

bool fleetkit_xml_is_usable(const char *name) {
  functions found;
  return take_all(name, &found);
}

enum { NAME_BITS = 20 };

struct fleetkit_xml {
  xml_context *context;
  fleetkit_xml_calls calls;
  void *data;
  int names;
  /// A bit for each name that has occurred. Some names share a bit, so the count is a little low.
  uint64_t seen[1 << (NAME_BITS - 6)];
};

/// Counts names: libxml2 stores each name at one address.
static void count_name(fleetkit_xml *stream, xml_text name) {
  const uint64_t place = (uint64_t)(uintptr_t)name * 0x9E3779B97F4A7C15u >> (64 - NAME_BITS);
  const uint64_t bit = (uint64_t)1 << (place & 63);
  if (!name || stream->seen[place >> 6] & bit) return;
  stream->seen[place >> 6] |= bit;
  if (++stream->names == FLEETKIT_XML_NAMES + 1)
    stream->calls.problem(stream->data, (fleetkit_xml_problem){.code = FLEETKIT_XML_TOO_MANY_NAMES, .is_fatal = true});
}

static fleetkit_xml_name name_of(xml_text local, xml_text prefix, xml_text space) {
  return (fleetkit_xml_name){(const char *)local, (const char *)prefix, (const char *)space};
}

static void begin(
    void *data, xml_text local, xml_text prefix, xml_text space, int spaces, xml_text *declared, int count,
    int defaulted, xml_text *attributes) {
  (void)defaulted;
  fleetkit_xml *stream = data;
  count_name(stream, local);
  count_name(stream, prefix);
  for (int i = 0; i < 2 * spaces; i++) count_name(stream, declared[i]);
  for (int i = 0; i < count; i++) {
    count_name(stream, attributes[5 * i]);
    count_name(stream, attributes[5 * i + 1]);
  }
  stream->calls.begin(stream->data, name_of(local, prefix, space), (const char *const *)attributes, count, spaces);
}

static void end(void *data, xml_text local, xml_text prefix, xml_text space) {
  fleetkit_xml *stream = data;
  stream->calls.end(stream->data, name_of(local, prefix, space));
}

static void text(void *data, xml_text bytes, int count) {
  fleetkit_xml *stream = data;
  if (count > 0) stream->calls.text(stream->data, bytes, count, false);
}

static void section(void *data, xml_text bytes, int count) {
  fleetkit_xml *stream = data;
  if (count > 0) stream->calls.text(stream->data, bytes, count, true);
}

static void instruction(void *data, xml_text target, xml_text content) {
  (void)content;
  count_name(data, target);
}

static void document_type(void *data, xml_text name, xml_text public_id, xml_text system_id) {
  (void)name, (void)public_id, (void)system_id;
  fleetkit_xml *stream = data;
  stream->calls.document_type(stream->data);
}

static void problem(void *data, const xml_error *error) {
  fleetkit_xml *stream = data;
  if (!error || error->level < LEVEL_ERROR) return;
  stream->calls.problem(
      stream->data,
      (fleetkit_xml_problem){error->code, error->level >= LEVEL_FATAL, error->domain == DOMAIN_NAMESPACE});
}

fleetkit_xml *fleetkit_xml_open(fleetkit_xml_calls calls) {
  fleetkit_xml *stream = fleetkit_xml_load() ? calloc(1, sizeof *stream) : NULL;
  if (!stream) return NULL;
  stream->calls = calls;
  xml_sax sax = {
      .internal_subset = document_type, .characters = text, .ignorable_whitespace = text, .instruction = instruction,
      .cdata = section, .initialized = SAX2_MAGIC, .start_element = begin, .end_element = end, .error = problem,
  };
  if (!(stream->context = xml.create(&sax, stream, NULL, 0, NULL))) {
    free(stream);
    return NULL;
  }
  xml.use_options(stream->context, REPLACE_ENTITIES | NO_WARNINGS | NO_NETWORK | IGNORE_ENCODING);
  return stream;
}

void fleetkit_xml_close(fleetkit_xml *stream) {
  if (!stream) return;
  xml.free(stream->context);
  free(stream);
}

void fleetkit_xml_set_data(fleetkit_xml *stream, void *data) { stream->data = data; }

bool fleetkit_xml_feed(fleetkit_xml *stream, const uint8_t *bytes, int count, bool is_last) {
  return xml.parse(stream->context, (const char *)bytes, count, is_last) == 0;
}

long fleetkit_xml_consumed(fleetkit_xml *stream) { return xml.consumed(stream->context); }

void fleetkit_xml_stop(fleetkit_xml *stream) { xml.stop(stream->context); }
