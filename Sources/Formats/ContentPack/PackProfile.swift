/// The purpose of a pack.
public enum PackProfile: String, Sendable, CaseIterable {
  /// Published content: items and the records that belong to them, without their author's personal data.
  case content
  /// A faithful copy of everything in a source.
  case copy
  /// A snapshot of a library, or the changes since another snapshot.
  case backup
}
