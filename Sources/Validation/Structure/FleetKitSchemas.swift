import Content
import JSONSchema
import JSONText

/// The embedded schemas, ready to be compiled.
public struct FleetKitSchemas {
  private let set: SchemaSet

  /// Parses the embedded schemas.
  /// - Throws: `JSONError` or `SchemaError` if one of them is invalid, which a test rules out.
  public init() throws {
    var set = SchemaSet()
    for name in EmbeddedSchemas.names {
      guard let text = EmbeddedSchemas.text(name) else { continue }
      _ = try set.add(try JSONDocument(parsing: text), at: EmbeddedSchemas.base + name + ".schema.json")
    }
    self.set = set
  }

  /// Returns a schema by name, such as `checklist`.
  /// - Throws: `SchemaError` if no schema has that name.
  public func schema(named name: String, options: SchemaOptions = SchemaOptions()) throws -> Schema {
    try set.compile(EmbeddedSchemas.base + name + ".schema.json", options: options)
  }

  /// Returns the schema for records of a kind, in the form that people may write.
  func schema(for kind: RecordKind) throws -> Schema {
    // A test checks that the embedded schemas are valid. Checking them here would slow down every start of the program.
    var options = SchemaOptions()
    options.checksSchema = false
    if kind == .item { return try schema(named: "library-item", options: options) }
    let definition = kind.isKnown ? kind.name : "unknown"
    return try set.compile(EmbeddedSchemas.base + "record.schema.json#/$defs/" + definition, options: options)
  }
}
