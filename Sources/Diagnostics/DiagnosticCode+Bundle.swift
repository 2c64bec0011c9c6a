extension DiagnosticCode {
  /// A value of a bundle has a type that its member does not allow.
  public static let typeMismatch = DiagnosticCode(
    "BND0101", "type-mismatch", .error, "A value has another type than its member allows.",
    why: "a bundle may leave out ids and defaults, but what it says must have the right type",
    fix: "write the value in the type that is named")
  /// A member without which a record means nothing is missing.
  public static let requiredMember = DiagnosticCode(
    "BND0102", "required-member", .error, "A record lacks a member that it cannot do without.",
    why: "an item needs a title and a content_type, other records the members named on the format's page",
    fix: "add the member")
  /// A content type that nobody knows.
  public static let unknownContentType = DiagnosticCode(
    "BND0103", "unknown-content-type", .error, "content_type is none that FleetKit knows.",
    why: "the app could not open such an item",
    fix: "use checklist, practice_guide or flashcard_deck")
  /// A record kind that FleetKit does not know.
  public static let unknownKind = DiagnosticCode(
    "BND0104", "unknown-kind", .note, "A record has a kind that FleetKit does not know.",
    why: "it passes through bundles untouched; other formats cannot hold it",
    fix: "nothing needs to be done")
  /// A date that is none.
  public static let invalidDate = DiagnosticCode(
    "BND0105", "invalid-date", .error, "A time is not an ISO 8601 date and time.",
    why: "a guess could move a record by hours or years",
    fix: "write it as 2026-01-05T10:11:12.345Z")
  /// The document's id differs from the item's.
  public static let documentIDDiffers = DiagnosticCode(
    "BND0106", "document-id-differs", .warning, "content_data has another id than its item.",
    why: "the app finds a body by the id of its item",
    fix: "the item's id is used; remove the id from content_data")
  /// A bundle of a newer version.
  public static let newerBundle = DiagnosticCode(
    "BND0107", "newer-bundle", .warning, "The bundle was written by a newer FleetKit.",
    why: "it says that this version may read it; members that it adds are kept as extras",
    fix: "update FleetKit if something looks missing")
  /// A bundle without a header.
  public static let noHeader = DiagnosticCode(
    "BND0108", "no-header", .note, "The bundle has no header.",
    why: "the records are read as version 1",
    fix: "nothing needs to be done; FleetKit writes a header when it writes the bundle")

  /// An id that is no UUID.
  public static let idReplaced = DiagnosticCode(
    "BND0109", "id-replaced", .note, "An id is not a UUID; one derived from it takes its place.",
    why: "the app knows only UUIDs; the same text always gives the same UUID, so references agree",
    fix: "nothing needs to be done")
  /// A time that is more exact than a millisecond.
  public static let timeCut = DiagnosticCode(
    "BND0110", "time-cut", .note, "A time is more exact than a millisecond; the rest is cut.",
    why: "the app keeps milliseconds",
    fix: "nothing needs to be done")

  /// A member that FleetKit does not know.
  public static let unknownBundleMember = DiagnosticCode(
    "BND0111", "unknown-bundle-member", .note, "A member is none that FleetKit knows.",
    why: "it is kept in bundles, but nothing reads it; a misspelled name leaves its content out of sight",
    fix: "correct the name if it is misspelled; otherwise nothing needs to be done")

  /// A text that is JSON and no bundle.
  public static let notABundle = DiagnosticCode(
    "BND0112", "not-a-bundle", .error, "The text is JSON, and no bundle that FleetKit reads.",
    why: "its header says what it is; to guess what was meant could read the wrong thing",
    fix: "correct the header, or name the right format with --from-format")

  /// A record beyond the limits for records.
  public static let recordTooLarge = DiagnosticCode(
    "BND0113", "record-too-large", .error, "A record is larger than the limits for records.",
    why: "a record is kept in memory as a whole, and no file may use up the memory",
    fix: "split it into several records")

  static let bundle = [
    typeMismatch, requiredMember, unknownContentType, unknownKind, invalidDate, documentIDDiffers, newerBundle,
    noHeader, idReplaced, timeCut, unknownBundleMember, notABundle, recordTooLarge,
  ]
}
