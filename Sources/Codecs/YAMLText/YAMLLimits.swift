import JSONText

/// How much a YAML text may ask of its reader.
public struct YAMLLimits: Sendable, Equatable {
  /// Longest text, in bytes.
  public var textLength = 16 << 20
  /// How many values and names the text may have. Each takes some fifty bytes, and two bytes of text make one.
  public var values = 2_000_000
  /// How much all aliases together may repeat, in bytes of the JSON that they stand for.
  ///
  /// A few lines of anchors can stand for terabytes; people who write by hand repeat a list or two.
  public var aliasedLength = 1 << 20
  /// How deep values may nest; never more than JSON allows.
  public var depth = JSONLimits.depth

  /// The limits that hold when nobody says anything.
  public init() {}
}
