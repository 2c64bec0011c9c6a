/// What a pack is for.
public enum PackProfile: String, Sendable, CaseIterable {
  /// Content that somebody publishes: items and what belongs to them, nothing of whoever made it.
  case content
  /// A faithful copy of everything that a source holds.
  case copy
  /// A snapshot of a library, or what has changed since another one.
  case backup
}
