import JSONText

/// A set of schema documents that may refer to each other.
///
/// Add documents in any order, then compile one of them. The metaschemas of draft 2020-12 are always included.
/// Documents are never fetched from a network; missing documents are requested from `remotes`.
public struct SchemaSet {
  private var documents: [(uri: String, name: String, document: JSONDocument)] = []
  private var uris: Set<String> = []

  /// The function that provides documents that were not added. It is called with a URI and returns nil if there is no
  /// such document.
  public var remotes: (@Sendable (String) throws -> JSONDocument?)?

  /// Creates an empty set.
  public init() {}

  /// Adds a schema document.
  /// - Parameter uri: the URI where the document was found. The document's own `$id` takes precedence. A document
  ///   without either gets a URI that no other document has.
  /// - Returns: The document's URI, for `compile`.
  /// - Throws: `SchemaError` if the document has a duplicate member, or if another document already has its URI.
  public mutating func add(_ document: JSONDocument, at uri: String? = nil) throws(SchemaError) -> String {
    let given = URIReference(uri ?? "schema-\(documents.count + 1)").resolved(against: URIReference("memory:///"))
      .withoutFragment
    var own = given
    if document.root.kind == .object, let identity = document.root["$id"]?.string {
      own = URIReference(identity).resolved(against: URIReference(given)).withoutFragment
    }
    if let name = document.root.duplicateName {
      throw SchemaError(
        "an object in the schema has two members \"\(name.string ?? "")\"", advice: "remove one of them",
        at: SchemaError.Place(
          uri: own, pointer: document.withNode(document.root.tokenIndex) { $0.pointer(to: name.tokenIndex) },
          offset: name.span.lowerBound))
    }
    guard uris.insert(own).inserted else {
      throw SchemaError(
        "two schemas have the URI \"\(own)\"", advice: "give one of them another $id",
        at: SchemaError.Place(uri: own, pointer: JSONPointer([.member("$id")])))
    }
    documents.append((given, own, document))
    return own
  }

  /// Compiles the schema at a URI. A fragment selects a subschema by pointer or anchor.
  /// - Throws: `SchemaError` with the exact place of the error.
  public func compile(_ uri: String, options: SchemaOptions = SchemaOptions()) throws(SchemaError) -> Schema {
    let registry = SchemaRegistry(remotes: remotes)
    for (uri, name, document) in documents { try registry.add(document, at: uri, named: name) }
    let wanted = URIReference(uri).resolved(against: URIReference("memory:///"))
    guard let place = try registry.resolve(wanted) else {
      throw SchemaError(
        "there is no schema at \"\(uri)\"", advice: "add the document to the set",
        at: SchemaError.Place(uri: wanted.withoutFragment))
    }
    var compiler = SchemaCompiler(registry: registry, options: options)
    return try compiler.compile(place)
  }
}
