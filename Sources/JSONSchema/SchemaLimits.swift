/// The limits on compiling a schema. They are needed because the compiled form takes far more memory than the text.
enum SchemaLimits {
  /// The largest number of subschemas in all documents together. Each subschema takes up to 300 bytes.
  static let subschemas = 400_000
  /// The largest number of lookups of dynamic anchors in resources, which is anchors times resources for each
  /// compilation round.
  static let anchorLookups = 8_000_000
  /// The largest total size of all patterns in bytes, including `patternOverhead` for each distinct pattern.
  static let patternBytes = 4 << 20
  /// The number of bytes to add for each pattern, because even a short compiled pattern takes a kilobyte.
  static let patternOverhead = 64
}
