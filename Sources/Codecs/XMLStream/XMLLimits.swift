/// The limits beyond which an XML text is rejected as hostile.
///
/// - Source: docs/DESIGN.md §7
package struct XMLLimits: Sendable, Hashable {
  /// The maximum nesting depth of elements.
  package var depth = 256
  /// The largest size of a tag, comment or processing instruction in bytes. The parser keeps each one in memory until
  /// it ends.
  package var token = 1 << 20
  /// The largest number of attributes in a tag, and of namespaces that open elements may declare. libxml2 compares each
  /// one with all others.
  package var attributes = 1000
  /// Whether a text may name a document type, which is never fetched. A document type with declarations is always
  /// rejected.
  package var allowsDocumentType = false
  /// Whether names have their namespace instead of their prefix. This is a little slower.
  package var readsNamespaces = false

  /// The limits that FleetKit uses.
  package static let standard = XMLLimits()

  /// Creates the standard limits, which can be changed afterwards.
  package init() {}
}
