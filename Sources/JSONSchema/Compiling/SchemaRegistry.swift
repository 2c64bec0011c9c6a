import JSONText

/// The documents and resources of a compilation, indexed by URI. Further documents are requested when a reference needs
/// them.
final class SchemaRegistry {
  private(set) var documents: [SchemaDocument] = []
  private(set) var resources: [SchemaResource] = []
  private var resourceByURI: [String: Int] = [:]
  /// The members of large objects, indexed by name.
  private var memberIndexes: [SchemaPlace: [[UInt8]: Int]] = [:]
  private var subschemas = 0
  private let remotes: (@Sendable (String) throws -> JSONDocument?)?
  /// The known vocabularies of metaschemas, indexed by URI.
  var vocabulariesByURI: [String: Vocabularies] = [:]
  var compiledMetaschemas: [String: Schema] = [:]

  init(remotes: (@Sendable (String) throws -> JSONDocument?)?) { self.remotes = remotes }

  /// Adds a document and indexes its identifiers.
  /// - Parameter name: the name of the document in errors; nil means its URI.
  /// - Returns: The resource of the document's root.
  @discardableResult
  func add(
    _ document: JSONDocument, at uri: String, named name: String? = nil, isRemote: Bool = false
  ) throws(SchemaError) -> Int {
    let index = documents.count
    documents.append(SchemaDocument(uri: name ?? uri, document: document))
    if let name = document.root.duplicateName {
      throw error(
        "an object in the schema has two members \"\(name.string ?? "")\"", "remove one of them",
        SchemaPlace(document: index, token: name.tokenIndex))
    }
    let first = resources.count
    var indexer = SchemaIndexer(registry: self, document: index, isRemote: isRemote)
    try indexer.indexDocument(base: URIReference(uri))
    // A requested document is also found under the URI with which it was requested, regardless of its `$id`.
    if resourceByURI[uri] == nil || isRemote { resourceByURI[uri] = first }
    return first
  }

  /// Returns the resource at a URI without a fragment. It may be known, built into the binary, or come from the
  /// caller's remotes.
  func resource(at uri: String) throws(SchemaError) -> Int? {
    if let known = resourceByURI[uri] { return known }
    if let metaschema = Metaschemas.document(at: uri) { return try add(metaschema, at: uri) }
    guard let remotes else { return nil }
    let document: JSONDocument?
    do {
      document = try remotes(uri)
    } catch let error as SchemaError {
      throw error
    } catch {
      throw SchemaError("the schema could not be read: \(error)", at: SchemaError.Place(uri: uri))
    }
    guard let document else { return nil }
    return try add(document, at: uri, isRemote: true)
  }

  /// Finds the target of a URI with or without a fragment.
  func resolve(_ uri: URIReference) throws(SchemaError) -> SchemaPlace? {
    guard let index = try resource(at: uri.withoutFragment) else { return nil }
    let resource = resources[index]
    guard let fragment = uri.fragment, !fragment.isEmpty else {
      return SchemaPlace(document: resource.document, token: resource.root)
    }
    guard let decoded = URIReference.percentDecoded(fragment) else { return nil }
    if decoded.hasPrefix("/") {
      guard let pointer = JSONPointer(decoded),
        let place = descendant(of: SchemaPlace(document: resource.document, token: resource.root), at: pointer)
      else { return nil }
      if documents[resource.document].resourceOfToken[place.token] == nil { try indexLate(place) }
      return place
    }
    return resource.anchors[decoded].map { SchemaPlace(document: resource.document, token: $0) }
  }

  /// Returns the value at the end of a path, or nil if the path does not exist. Digits select a member with that name
  /// or an element.
  private func descendant(of start: SchemaPlace, at pointer: JSONPointer) -> SchemaPlace? {
    var node = node(start)
    for step in pointer.steps {
      var next: Int?
      switch (step, node.kind) {
      case (.member(let name), .object): next = member(name, of: node, in: start.document)
      case (.element(let index), .object): next = member(String(index), of: node, in: start.document)
      case (.element(let index), .array):
        var ordinal = 0
        node.forEachElement { element in
          if ordinal == index { next = element.index }
          ordinal += 1
        }
      default: break
      }
      guard let next else { return nil }
      node = node.at(next)
    }
    return SchemaPlace(document: start.document, token: node.index)
  }

  /// Returns the value of a member. Large objects are indexed, because a thousand definitions are looked up a thousand
  /// times.
  private func member(_ name: String, of node: JSONNode, in document: Int) -> Int? {
    guard node.token.count > 32 else {
      let found = node.lastMember(name)
      return found < 0 ? nil : found
    }
    let place = SchemaPlace(document: document, token: node.index)
    if memberIndexes[place] == nil {
      var index: [[UInt8]: Int] = [:]
      node.forEachMember { name, value in index[name.textBytes] = value.index }
      memberIndexes[place] = index
    }
    return memberIndexes[place]?[Array(name.utf8)]
  }

  /// Indexes a value that is not a subschema by position but that a reference points to.
  private func indexLate(_ place: SchemaPlace) throws(SchemaError) {
    var indexer = SchemaIndexer(registry: self, document: place.document, isRemote: true)
    try indexer.index(from: place.token, in: innermostResource(of: place))
  }

  /// Returns the resource that contains a token.
  func innermostResource(of place: SchemaPlace) -> Int {
    let document = documents[place.document]
    if let known = document.resourceOfToken[place.token] { return known }
    var best = -1
    for (index, resource) in resources.enumerated() where resource.document == place.document {
      let end = Int(document.node(resource.root).token.next)
      if resource.root <= place.token, place.token < end, best < 0 || resources[best].root < resource.root {
        best = index
      }
    }
    return max(best, 0)
  }

  /// Adds a resource. Throws an error if two resources in the caller's own documents have the same URI.
  func addResource(_ resource: SchemaResource, isRemote: Bool) throws(SchemaError) -> Int {
    let uri = resource.uri.withoutFragment
    if resourceByURI[uri] == nil {
      resourceByURI[uri] = resources.count
    } else if !isRemote {
      throw error(
        "two schemas have the URI \"\(uri)\"", "give one of them another $id",
        SchemaPlace(document: resource.document, token: resource.root))
    }
    resources.append(resource)
    return resources.count - 1
  }

  func setAnchor(_ name: String, _ token: Int, in resource: Int, isDynamic: Bool) throws(SchemaError) {
    if let other = resources[resource].anchors[name], other != token {
      throw error(
        "two subschemas of one schema have the anchor \"\(name)\"", "rename one of them",
        SchemaPlace(document: resources[resource].document, token: token))
    }
    resources[resource].anchors[name] = token
    if isDynamic { resources[resource].dynamicAnchors[name] = token }
  }

  /// Records the resource of a subschema.
  /// - Throws: `SchemaError` if all documents together have more subschemas than the limit.
  func setResource(_ resource: Int, of place: SchemaPlace) throws(SchemaError) {
    subschemas += 1
    try refuseMany(0, at: place)
    documents[place.document].resourceOfToken[place.token] = resource
  }

  /// Checks that a list of pending subschemas does not exceed the limit before the list is stored.
  func refuseMany(_ pending: Int, at place: SchemaPlace) throws(SchemaError) {
    guard subschemas + pending > SchemaLimits.subschemas else { return }
    throw error("the schema has more than \(SchemaLimits.subschemas) subschemas", "split it", place, isTooLarge: true)
  }

  func setVocabularies(_ vocabularies: Vocabularies, of resource: Int) {
    resources[resource].vocabularies = vocabularies
  }

  func markChecked(_ document: Int) { documents[document].isChecked = true }

  func node(_ place: SchemaPlace) -> JSONNode { documents[place.document].node(place.token) }

  /// Creates an error with the place of a token.
  func error(
    _ message: String, _ advice: String?, _ place: SchemaPlace, missing: String? = nil, isTooLarge: Bool = false
  ) -> SchemaError {
    let document = documents[place.document]
    return SchemaError(
      message, advice: advice,
      at: SchemaError.Place(
        uri: document.uri, pointer: document.node(document.root).pointer(to: place.token),
        offset: document.node(place.token).span.lowerBound),
      missing: missing, isTooLarge: isTooLarge)
  }
}
