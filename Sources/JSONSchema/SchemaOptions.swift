/// How a schema is compiled.
public struct SchemaOptions: Sendable {
  /// Whether `format` is a rule. Otherwise it is only a remark, as the specification has it by default; a metaschema
  /// with the format-assertion vocabulary makes it a rule in any case.
  public var assertsFormat: Bool
  /// Whether every schema document is held against its metaschema before it is compiled.
  public var checksSchema: Bool

  /// Makes options.
  public init(assertsFormat: Bool = false, checksSchema: Bool = true) {
    self.assertsFormat = assertsFormat
    self.checksSchema = checksSchema
  }
}
