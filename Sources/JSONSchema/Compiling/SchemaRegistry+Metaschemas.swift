import JSONText

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
