/// The options for compiling a schema.
public struct SchemaOptions: Sendable {
  /// Whether `format` is a rule. Otherwise, it is only an annotation, which is the specification's default. A
  /// metaschema with the format-assertion vocabulary always makes it a rule.
  public var assertsFormat: Bool
  /// Whether every schema document is checked against its metaschema before it is compiled.
  public var checksSchema: Bool

  /// Creates options.
  public init(assertsFormat: Bool = false, checksSchema: Bool = true) {
    self.assertsFormat = assertsFormat
    self.checksSchema = checksSchema
  }
}
