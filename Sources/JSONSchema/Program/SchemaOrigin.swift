import JSONText

/// The origins of the parts of a compiled schema in its documents.
struct SchemaOrigin: Sendable {
  private struct Resource: Sendable {
    let uri: String
    let root: Int
    let end: Int
  }

  private let documents: [JSONDocument]
  /// The resources of each document, in ascending order of their roots.
  private let resources: [[Resource]]
  private let places: [SchemaPlace]
  let typePlaces: [UInt32]
  let formatNames: [String]

  init(tables: ProgramTables, registry: SchemaRegistry) {
    documents = registry.documents.map(\.document)
    var byDocument = [[Resource]](repeating: [], count: registry.documents.count)
    for resource in registry.resources {
      let end = Int(registry.documents[resource.document].node(resource.root).token.next)
      byDocument[resource.document].append(
        Resource(uri: resource.uri.withoutFragment, root: resource.root, end: end))
    }
    resources = byDocument.map { $0.sorted { $0.root < $1.root } }
    places = tables.places
    typePlaces = tables.nodePlaces.map(\.typePlace)
    formatNames = tables.formatNames
  }

  /// Passes the value at a place of the schema to `body`.
  func withValue<Result>(_ place: UInt32, _ body: (JSONNode) -> Result) -> Result? {
    guard places.indices.contains(Int(place)) else { return nil }
    return documents[places[Int(place)].document].withNode(places[Int(place)].token, body)
  }

  /// Returns the absolute URI of a place: the URI of the resource, with the path in the resource as the fragment.
  func location(_ place: UInt32) -> String {
    guard places.indices.contains(Int(place)) else { return "" }
    let place = places[Int(place)]
    guard let resource = resources[place.document].last(where: { $0.root <= place.token && place.token < $0.end })
    else { return "" }
    let pointer = documents[place.document].withNode(resource.root) { $0.pointer(to: place.token) }
    return resource.uri + "#" + URIReference.fragmentEncoded(pointer.description)
  }

  /// Passes the examples of the schema that contains a keyword to `body` until `body` returns a result. Returns nil if
  /// no example is suitable.
  func example<Result>(_ place: UInt32, _ body: (JSONNode) -> Result?) -> Result? {
    guard places.indices.contains(Int(place)) else { return nil }
    let place = places[Int(place)]
    let document = documents[place.document]
    var pointer = document.withNode(document.root.tokenIndex) { $0.pointer(to: place.token) }
    guard !pointer.steps.isEmpty else { return nil }
    pointer.steps.removeLast()
    guard let examples = document.root.at(pointer)?["examples"], examples.kind == .array else { return nil }
    for example in examples.elements.prefix(8) {
      if let result = document.withNode(example.tokenIndex, body) { return result }
    }
    return nil
  }

  /// Returns the `description` of the schema that contains a keyword, or nil if it has no description. The result is
  /// cut after a thousand scalars, because each violation includes it.
  func description(_ place: UInt32) -> String? {
    guard places.indices.contains(Int(place)) else { return nil }
    let place = places[Int(place)]
    let document = documents[place.document]
    var pointer = document.withNode(document.root.tokenIndex) { $0.pointer(to: place.token) }
    guard !pointer.steps.isEmpty else { return nil }
    pointer.steps.removeLast()
    guard let text = document.root.at(pointer)?["description"]?.string else { return nil }
    if text.utf8.count <= 1000 { return text }
    let scalars = text.unicodeScalars
    return scalars.count > 1000 ? String(String.UnicodeScalarView(scalars.prefix(1000))) + "…" : text
  }
}
