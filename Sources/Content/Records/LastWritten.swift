/// What FleetKit wrote last where a record was read: what the library said then, and whether anybody has changed it
/// since.
public struct LastWritten: Sendable, Equatable {
  /// Whether the record is still what was written, byte for byte.
  public let isUntouched: Bool
  /// The content hash of what the library said, 64 hexadecimal digits.
  public let content: String
  /// When that was changed last; nil where the library did not say.
  public let updated: Timestamp?
  /// What tells that library from others, as a locator says it; nil where nobody knows.
  public let library: String?

  /// Describes what was written.
  public init(isUntouched: Bool, content: String, updated: Timestamp?, library: String? = nil) {
    self.isUntouched = isUntouched
    self.content = content
    self.updated = updated
    self.library = library
  }
}
