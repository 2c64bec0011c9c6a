extension DiagnosticCode {
  /// The library has another version of a record, and nobody can say which is newer.
  public static let importConflict = DiagnosticCode(
    "IMP0101", "import-conflict", .error, "The library has another version of a record.",
    why: "one of the two would be lost; the library's stays, the other is in the rejects file",
    fix: "give updated_at in the source, or say --on-conflict newest, keep or replace")
  /// A published item would be replaced.
  public static let publishedNotReplaced = DiagnosticCode(
    "IMP0102", "published-not-replaced", .error, "A published item is not replaced.",
    why: "people who follow the publication would find another text under its address",
    fix: "unpublish it in the app first, or import with --on-conflict newest, which counts as an edit")
  /// An item was published where it comes from.
  public static let publicationLeftOut = DiagnosticCode(
    "IMP0103", "publication-left-out", .note, "A record was published where it comes from; here it arrives private.",
    why: "an import brings content, never publication: nothing leaves the device unless its owner says so",
    fix: "publish it in the app if you want to share it")

  static let importing = [importConflict, publishedNotReplaced, publicationLeftOut]
}
