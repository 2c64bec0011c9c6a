/// How much a JSON text may ask of its reader.
public enum JSONLimits {
  /// How deep values may nest; deeper texts are refused with their place.
  public static let depth = 512
  /// How many combining marks may follow each other in a string when they are not in canonical order.
  ///
  /// To compare, hash or compose a text, Unicode sorts each run of marks, which takes the square of its length. Unicode's
  /// Stream-Safe Text Format allows 30; some scripts and many jokes have more.
  /// - Source: UAX #15, section 13.
  public static let combiningMarks = 256
  /// Longest text that one tape can address, in bytes (offsets are 32 bits wide).
  public static let textLength = Int(UInt32.max) - 16
}
