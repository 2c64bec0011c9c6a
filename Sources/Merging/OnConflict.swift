/// What an import does with a record that the library has already, in another version.
public enum OnConflict: String, Sendable, CaseIterable {
  /// The newer one when both say when they were changed, else a conflict. Merging both sides is to come.
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
