/// The purpose of a pack.
public enum PackProfile: String, Sendable, CaseIterable {
  /// Published content: items and the records that belong to them, without personal data of their maker.
  case content
  /// A faithful copy of everything that a source holds.
  case copy
  /// A snapshot of a library, or the changes since another one.
  case backup
}
