import JSONText

/// A schema document in use.
struct SchemaDocument {
  let uri: String
  let document: JSONDocument
  /// The innermost resource of every known subschema, by token.
  var resourceOfToken: [Int: Int] = [:]
  /// Whether the document has been checked against its metaschema.
  var isChecked = false

  func node(_ token: Int) -> JSONNode {
    // The program keeps the document alive while it reads the node.
    document.withNode(token) { $0 }
  }

  var root: Int { document.root.tokenIndex }
}

/// A part of a document with its own URI: the root or a subschema with `$id`.
struct SchemaResource {
  let uri: URIReference
  let document: Int
  let root: Int
  /// The metaschema in `$schema`, in this or the enclosing resource; nil if neither states one.
  let dialect: String?
  /// The token of the `$schema` member's value.
  let dialectToken: Int
  var anchors: [String: Int] = [:]
  var dynamicAnchors: [String: Int] = [:]
  /// The vocabularies that the metaschema declares, once they have been looked up.
  var vocabularies: Vocabularies?
}

/// A token in a document.
struct SchemaPlace: Hashable {
  let document: Int
  let token: Int
}
