/// How much of an XML text is believed before it is refused as hostile.
///
/// - Source: docs/DESIGN.md §7
package struct XMLLimits: Sendable, Hashable {
  /// How many elements may lie in one another.
  package var depth = 256
  /// How many bytes one tag, comment or processing instruction may have: the parser keeps it until it ends.
  package var token = 1 << 20
  /// How many attributes one tag may have, and how many namespaces may be declared by elements that are open.
  /// libxml2 compares each with all others.
  package var attributes = 1000
  /// Whether a text may name a document type, which is never fetched. One that declares anything is always refused.
  package var allowsDocumentType = false
  /// Whether names come with their namespace in place of their prefix; a little slower.
  package var readsNamespaces = false

  /// What FleetKit allows.
  package static let standard = XMLLimits()

  /// Makes limits; change what should differ.
  package init() {}
}
