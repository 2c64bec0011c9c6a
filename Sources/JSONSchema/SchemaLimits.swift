/// Limits on compiling a schema, because the compiled form takes far more memory than the text.
enum SchemaLimits {
  /// The largest number of subschemas in all documents together. Each takes up to 300 bytes.
  static let subschemas = 400_000
  /// The largest number of lookups of dynamic anchors in resources: anchors times resources, for each round of
  /// compiling.
  static let anchorLookups = 8_000_000
  /// The largest size in bytes of all patterns together, with `patternOverhead` for each distinct one.
  static let patternBytes = 4 << 20
  /// A compiled pattern takes a kilobyte, however short it is.
  static let patternOverhead = 64
}
