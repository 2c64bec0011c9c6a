#ifndef FLEETKIT_CXML_H
#define FLEETKIT_CXML_H

#include <stdbool.h>
#include <stdint.h>

// The part of libxml2 that FleetKit needs, in fixed types. libxml2's headers are not needed to build or to use this.

/// Loads libxml2 once; may be called from any thread. False if the machine has no usable libxml2.
bool fleetkit_xml_load(void);

/// Whether a library of this name exists and has all functions that are needed.
bool fleetkit_xml_is_usable(const char *name);

/// An error that libxml2 found.
typedef struct {
  /// libxml2's error number (`xmlParserErrors`), or `FLEETKIT_XML_TOO_MANY_NAMES`.
  int code;
  /// Whether the text is not well formed.
  bool is_fatal;
  /// Whether it is about namespaces.
  bool is_namespace;
} fleetkit_xml_problem;

/// The text has more than about `FLEETKIT_XML_NAMES` different names. libxml2 keeps them all, and in some versions the
/// time for a new one grows with their number.
#define FLEETKIT_XML_TOO_MANY_NAMES (-1)
#define FLEETKIT_XML_NAMES 50000

/// The name of an element; UTF-8 with a zero at its end. Prefix and namespace may be NULL.
typedef struct {
  const char *local;
  const char *prefix;
  const char *space;
} fleetkit_xml_name;

/// The callbacks of a parser, each called with the data of the stream. Their arguments are valid only during the call.
typedef struct {
  /// Five pointers for each attribute: local name, prefix, namespace, first byte of the value, the byte after its
  /// last. `spaces` is the number of namespaces that the element declares. libxml2's position is before the tag's `>`
  /// or `/>`.
  void (*begin)(void *data, fleetkit_xml_name name, const char *const *attributes, int count, int spaces);
  /// libxml2's position is after the tag.
  void (*end)(void *data, fleetkit_xml_name name);
  /// If `is_section`, line ends may be unchanged from the text.
  void (*text)(void *data, const uint8_t *bytes, int count, bool is_section);
  /// The head of a document type was read; libxml2's position is before its `[` or `>`.
  void (*document_type)(void *data);
  void (*problem)(void *data, fleetkit_xml_problem problem);
} fleetkit_xml_calls;

/// A parser that reads a text piece by piece. One thread at a time.
typedef struct fleetkit_xml fleetkit_xml;

/// NULL if libxml2 is missing or there is no memory.
fleetkit_xml *fleetkit_xml_open(fleetkit_xml_calls calls);
void fleetkit_xml_close(fleetkit_xml *stream);

/// Sets the data that is passed to the callbacks; must be called before the first piece.
void fleetkit_xml_set_data(fleetkit_xml *stream, void *data);

/// Reads the next bytes, which are treated as UTF-8 whatever the text declares. False if nothing can be read any more.
bool fleetkit_xml_feed(fleetkit_xml *stream, const uint8_t *bytes, int count, bool is_last);

/// The number of bytes that were read; during a callback, libxml2's position.
long fleetkit_xml_consumed(fleetkit_xml *stream);

/// Stops the parser from within a callback.
void fleetkit_xml_stop(fleetkit_xml *stream);

#endif
