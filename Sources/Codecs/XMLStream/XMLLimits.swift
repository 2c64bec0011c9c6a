/// The limits beyond which an XML text is refused as hostile.
///
/// - Source: docs/DESIGN.md §7
package struct XMLLimits: Sendable, Hashable {
  /// The maximum nesting depth of elements.
  package var depth = 256
  /// The largest size of one tag, comment or processing instruction in bytes: the parser keeps it until it ends.
  package var token = 1 << 20
  /// The largest number of attributes in one tag, and of namespaces that open elements may declare. libxml2 compares
  /// each with all others.
  package var attributes = 1000
  /// Whether a text may name a document type, which is never fetched. One that declares anything is always refused.
  package var allowsDocumentType = false
  /// Whether names have their namespace instead of their prefix; a little slower.
  package var readsNamespaces = false

  /// The limits that FleetKit uses.
  package static let standard = XMLLimits()

  /// Creates the standard limits; change what should differ.
  package init() {}
}
