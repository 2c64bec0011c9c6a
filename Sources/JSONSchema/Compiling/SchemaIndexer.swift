import JSONText

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
