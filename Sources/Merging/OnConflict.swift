/// What an import does with a record that the library has already, in another version.
public enum OnConflict: String, Sendable, CaseIterable {
  /// Both, merged against what the source said at its last import; a conflict where both changed the same thing. Where
  /// nobody remembers, the newer one when both say when they were changed, else a conflict.
  case merge
  /// The newer one; equally old, the source's.
  case newest
  /// The library's.
  case keep
  /// The source's.
  case replace
  /// Stop; nothing is imported.
  case fail
}
