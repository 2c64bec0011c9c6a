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

/// Determines the keywords that a schema may use, which are the vocabularies of its metaschema.
extension SchemaRegistry {
  /// Returns the vocabularies of a resource.
  /// - Throws: `SchemaError` for another draft, an unknown metaschema, or an unknown vocabulary that is required.
  func vocabularies(of resource: Int) throws(SchemaError) -> Vocabularies {
    if let known = resources[resource].vocabularies { return known }
    var found = Vocabularies.standard
    if let dialect = resources[resource].dialect {
      let place = SchemaPlace(document: resources[resource].document, token: resources[resource].dialectToken)
      found = try vocabularies(ofMetaschema: dialect, namedAt: place)
    }
    setVocabularies(found, of: resource)
    return found
  }

  private func vocabularies(
    ofMetaschema dialect: String, namedAt place: SchemaPlace
  ) throws(SchemaError) -> Vocabularies {
    if dialect == Drafts.supported { return .standard }
    if let known = vocabulariesByURI[dialect] { return known }
    if let name = Drafts.otherDraft(dialect) {
      throw error(
        "this schema is written for \(name); only draft 2020-12 is supported", Drafts.advice(for: name), place)
    }
    if dialect == "http" + Drafts.supported.dropFirst(5) {
      throw error(
        "no metaschema has the URI \"\(dialect)\"", "write \"https://\": \"$schema\": \"\(Drafts.supported)\"", place)
    }
    guard let metaschema = try resolve(URIReference(dialect)) else {
      throw error(
        "the metaschema \"\(dialect)\" is unknown",
        "write \"$schema\": \"\(Drafts.supported)\", or add the metaschema to the set", place,
        missing: dialect)
    }
    let found = try declaredVocabularies(metaschema)
    vocabulariesByURI[dialect] = found
    return found
  }

  private func declaredVocabularies(_ metaschema: SchemaPlace) throws(SchemaError) -> Vocabularies {
    let node = node(metaschema)
    // A metaschema of another draft does not declare the vocabularies of this draft.
    if let dialect = node.member("$schema")?.string, let name = Drafts.otherDraft(dialect) {
      throw error(
        "this metaschema is written for \(name); only draft 2020-12 is supported", Drafts.advice(for: name),
        metaschema)
    }
    guard let declared = node.member("$vocabulary") else { return .standard }
    var found: Vocabularies = [.core]
    try declared.forEachMember { name, value throws(SchemaError) in
      let uri = name.string ?? ""
      if let vocabulary = Vocabularies(uri: uri) {
        found.insert(vocabulary)
      } else if value.kind == .true {
        throw error(
          "the metaschema requires the vocabulary \"\(uri)\", which is unknown",
          "set it to false if the schema can be checked without it",
          SchemaPlace(document: metaschema.document, token: name.index))
      }
    }
    return found
  }
}

/// Checks schema documents against their metaschemas.
extension SchemaRegistry {
  /// Returns the first violation of the metaschema by a document, or nil if the document is valid.
  func metaschemaViolation(of document: Int) throws(SchemaError) -> SchemaViolation? {
    let root = SchemaPlace(document: document, token: documents[document].root)
    if Metaschemas.document(at: documents[document].uri) === documents[document].document { return nil }
    let schema = try metaschema(resources[innermostResource(of: root)].dialect)
    var run = SchemaRun(schema)
    let node = node(root)
    if run.isValid(node) { return nil }
    return run.violations(node, limit: 20).first
  }

  private func metaschema(_ dialect: String?) throws(SchemaError) -> Schema {
    guard let dialect, dialect != Drafts.supported else { return try Metaschemas.standard.get() }
    if let known = compiledMetaschemas[dialect] { return known }
    guard let place = try resolve(URIReference(dialect)) else {
      throw SchemaError("the metaschema \"\(dialect)\" is unknown", at: SchemaError.Place(uri: dialect))
    }
    var compiler = SchemaCompiler(registry: self, options: SchemaOptions())
    let schema = try compiler.compile(place)
    compiledMetaschemas[dialect] = schema
    return schema
  }
}

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

/// Finds the subschemas of a document by keyword, and records the names that `$id` and anchors give them.
///
/// Values of other members are not subschemas: an `$id` inside `enum` or an unknown keyword does not identify a schema.
struct SchemaIndexer {
  let registry: SchemaRegistry
  let document: Int
  /// Whether the document was not supplied by the caller. The `$id` of such a document may already exist.
  let isRemote: Bool

  /// The position of the subschemas in a keyword's value.
  private enum Holder {
    case none, one, list, map
  }

  private static func holder(_ keyword: String) -> Holder {
    switch keyword {
    case "additionalProperties", "propertyNames", "items", "contains", "unevaluatedItems", "unevaluatedProperties",
      "not", "if", "then", "else", "contentSchema":
      .one
    case "allOf", "anyOf", "oneOf", "prefixItems": .list
    case "$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies": .map
    default: .none
    }
  }

  /// Indexes the whole document. The root becomes a resource.
  mutating func indexDocument(base: URIReference) throws(SchemaError) {
    let root = registry.documents[document].root
    let place = SchemaPlace(document: document, token: root)
    let identity = try identifier(place)
    let (dialect, dialectToken) = self.dialect(place)
    let uri = identity.map { URIReference($0).resolved(against: base) } ?? base
    let resource = try registry.addResource(
      SchemaResource(
        uri: uri, document: document, root: root, dialect: dialect,
        dialectToken: dialectToken), isRemote: isRemote)
    try walk([(root, resource)], skippingIdentityOf: root)
  }

  /// Indexes a value that is a subschema only because a reference points to it.
  mutating func index(from token: Int, in resource: Int) throws(SchemaError) {
    try walk([(token, resource)], skippingIdentityOf: -1)
  }

  private func walk(_ start: [(token: Int, resource: Int)], skippingIdentityOf root: Int) throws(SchemaError) {
    var pending = start
    while let next = pending.popLast() {
      let token = next.token
      var resource = next.resource
      let place = SchemaPlace(document: document, token: token)
      let node = registry.node(place)
      guard node.kind == .object else {
        if node.kind == .true || node.kind == .false { try registry.setResource(resource, of: place) }
        continue
      }
      if registry.documents[document].resourceOfToken[token] != nil { continue }
      if token != root, let identity = try identifier(place) {
        let outer = registry.resources[resource]
        let (dialect, dialectToken) = self.dialect(place)
        resource = try registry.addResource(
          SchemaResource(
            uri: URIReference(identity).resolved(against: outer.uri), document: document, root: token,
            dialect: dialect ?? outer.dialect, dialectToken: dialect == nil ? outer.dialectToken : dialectToken),
          isRemote: isRemote)
      }
      try registry.setResource(resource, of: place)
      var children: [Int] = []
      try node.forEachMember { name, value throws(SchemaError) in
        let keyword = name.string ?? ""
        if keyword == "$anchor" || keyword == "$dynamicAnchor", let anchor = value.string {
          try registry.setAnchor(anchor, token, in: resource, isDynamic: keyword == "$dynamicAnchor")
        }
        switch Self.holder(keyword) {
        case .none: break
        case .one: children.append(value.index)
        case .list: value.forEachElement { children.append($0.index) }
        case .map: value.forEachMember { _, child in children.append(child.index) }
        }
      }
      try registry.refuseMany(pending.count + children.count, at: place)
      for child in children.reversed() { pending.append((child, resource)) }
    }
  }

  /// Returns the `$id` of a subschema, without an empty fragment.
  private func identifier(_ place: SchemaPlace) throws(SchemaError) -> String? {
    let node = registry.node(place)
    guard let member = node.member("$id"), let text = member.string else { return nil }
    guard let hash = text.firstIndex(of: "#") else { return text }
    guard text[hash...] == "#" else {
      throw registry.error(
        "$id \"\(text)\" has a fragment", "name the subschema with $anchor: \"\(text[hash...].dropFirst())\"",
        SchemaPlace(document: place.document, token: member.index))
    }
    return String(text[..<hash])
  }

  private func dialect(_ place: SchemaPlace) -> (String?, Int) {
    let node = registry.node(place)
    guard let member = node.member("$schema"), let text = member.string else { return (nil, -1) }
    return (text.hasSuffix("#") ? String(text.dropLast()) : text, member.index)
  }
}
