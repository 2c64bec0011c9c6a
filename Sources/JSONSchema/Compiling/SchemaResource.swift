import JSONText

/// A schema document in use.
struct SchemaDocument {
  let uri: String
  let document: JSONDocument
  /// The innermost resource of every subschema that is known, by token.
  var resourceOfToken: [Int: Int] = [:]
  /// Whether the document was held against its metaschema.
  var isChecked = false

  func node(_ token: Int) -> JSONNode {
    // The program keeps the document alive for as long as it reads.
    document.withNode(token) { $0 }
  }

  var root: Int { document.root.tokenIndex }
}

/// A part of a document that has a URI of its own: the root, and every subschema with `$id`.
struct SchemaResource {
  let uri: URIReference
  let document: Int
  let root: Int
  /// The metaschema that `$schema` names, here or in the resource around; nil when nobody says.
  let dialect: String?
  /// The token of the `$schema` that said so.
  let dialectToken: Int
  var anchors: [String: Int] = [:]
  var dynamicAnchors: [String: Int] = [:]
  /// What the metaschema declares, once it was looked up.
  var vocabularies: Vocabularies?
}

/// A token of a document.
struct SchemaPlace: Hashable {
  let document: Int
  let token: Int
}
