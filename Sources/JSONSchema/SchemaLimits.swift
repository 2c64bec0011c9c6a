/// How much a schema may ask of its compiler: what is compiled takes far more memory than its text.
enum SchemaLimits {
  /// How many subschemas all documents together may have. Each takes up to 300 bytes.
  static let subschemas = 400_000
  /// How often a dynamic anchor may be looked up in a resource: anchors times resources, for each round of compiling.
  static let anchorLookups = 8_000_000
  /// How many bytes all patterns together may have, with `patternOverhead` for each that differs from the others.
  static let patternBytes = 4 << 20
  /// A compiled pattern takes a kilobyte, however short it is.
  static let patternOverhead = 64
}
