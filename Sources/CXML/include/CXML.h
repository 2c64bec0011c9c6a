#ifndef FLEETKIT_CXML_H
#define FLEETKIT_CXML_H

#include <stdbool.h>
#include <stdint.h>

// What FleetKit needs of libxml2, in fixed types. libxml2's headers are not needed to build or to use this.

/// Loads libxml2 once; any thread may ask. False when the machine has none that can be used.
bool fleetkit_xml_load(void);

/// Whether a library of this name is there and has all the functions that are needed.
bool fleetkit_xml_is_usable(const char *name);

/// What libxml2 found to be wrong.
typedef struct {
  /// libxml2's number of the error (`xmlParserErrors`), or `FLEETKIT_XML_TOO_MANY_NAMES`.
  int code;
  /// Whether the text is not well formed.
  bool is_fatal;
  /// Whether it is about namespaces.
  bool is_namespace;
} fleetkit_xml_problem;

/// A text has more than about `FLEETKIT_XML_NAMES` different names. libxml2 keeps them all, and in some versions the
/// time for a new one grows with their number.
#define FLEETKIT_XML_TOO_MANY_NAMES (-1)
#define FLEETKIT_XML_NAMES 50000

/// The name of an element; UTF-8 with a zero at its end. Prefix and namespace are NULL where there is none.
typedef struct {
  const char *local;
  const char *prefix;
  const char *space;
} fleetkit_xml_name;

/// What is called while a text is read, each with the data of the stream. What they get is gone when they return.
typedef struct {
  /// Five pointers for each attribute: local name, prefix, namespace, first byte of the value, the byte after its last.
  /// `spaces` is how many namespaces the element declares. libxml2 is in front of the tag's `>` or `/>`.
  void (*begin)(void *data, fleetkit_xml_name name, const char *const *attributes, int count, int spaces);
  /// libxml2 is behind the tag.
  void (*end)(void *data, fleetkit_xml_name name);
  /// Ends of lines may be as they are in the text where `is_section`.
  void (*text)(void *data, const uint8_t *bytes, int count, bool is_section);
  /// The head of a document type is read; libxml2 is in front of its `[` or `>`.
  void (*document_type)(void *data);
  void (*problem)(void *data, fleetkit_xml_problem problem);
} fleetkit_xml_calls;

/// A text that is read piece by piece. One thread at a time.
typedef struct fleetkit_xml fleetkit_xml;

/// NULL when libxml2 is missing or there is no memory.
fleetkit_xml *fleetkit_xml_open(fleetkit_xml_calls calls);
void fleetkit_xml_close(fleetkit_xml *stream);

/// Sets what the calls get; before the first piece.
void fleetkit_xml_set_data(fleetkit_xml *stream, void *data);

/// Reads the next bytes, which are taken for UTF-8 whatever the text declares.
/// False when nothing can be read any more.
bool fleetkit_xml_feed(fleetkit_xml *stream, const uint8_t *bytes, int count, bool is_last);

/// How many of the bytes are read; during a call, up to where libxml2 is.
long fleetkit_xml_consumed(fleetkit_xml *stream);

/// Ends the reading from within a call.
void fleetkit_xml_stop(fleetkit_xml *stream);

#endif
