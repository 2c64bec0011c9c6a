import JSONText

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
