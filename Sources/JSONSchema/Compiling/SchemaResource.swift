import JSONText

/// A schema document in use.
struct SchemaDocument {
  let uri: String
  let document: JSONDocument
  /// The innermost resource of every known subschema, by token.
  var resourceOfToken: [Int: Int] = [:]
  /// Whether the document was checked against its metaschema.
  var isChecked = false

  func node(_ token: Int) -> JSONNode {
    // The program keeps the document alive while it reads.
    document.withNode(token) { $0 }
  }

  var root: Int { document.root.tokenIndex }
}

/// A part of a document that has a URI of its own: the root, and every subschema with `$id`.
struct SchemaResource {
  let uri: URIReference
  let document: Int
  let root: Int
  /// The metaschema in `$schema`, here or in the enclosing resource; nil if none is given.
  let dialect: String?
  /// The token of that `$schema`.
  let dialectToken: Int
  var anchors: [String: Int] = [:]
  var dynamicAnchors: [String: Int] = [:]
  /// The vocabularies that the metaschema declares, once they were looked up.
  var vocabularies: Vocabularies?
}

/// A token of a document.
struct SchemaPlace: Hashable {
  let document: Int
  let token: Int
}
