/// How much a JSON text may ask of its reader.
public enum JSONLimits {
  /// How deep values may nest; deeper texts are refused with their place.
  public static let depth = 512
  /// Longest text that one tape can address, in bytes (offsets are 32 bits wide).
  public static let textLength = Int(UInt32.max) - 16
}
