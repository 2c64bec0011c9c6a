extension DiagnosticCode {
  /// A second record with the id of an earlier one.
  public static let duplicateRecord = DiagnosticCode(
    "WRT0101", "duplicate-record", .error, "Two records have the same id.",
    why: "a library holds one row for an id; the first is kept, the second rejected",
    fix: "remove one of the two, or give one a new id")
  /// A record that refers to one that is not there.
  public static let missingReference = DiagnosticCode(
    "WRT0102", "missing-reference", .error, "A record refers to one that is not there.",
    why: "the library's foreign keys forbid it, and the app cannot open a library that violates them",
    fix: "add the record that it refers to, or leave this one out")
  /// A time was needed and none was given.
  public static let timeOfRun = DiagnosticCode(
    "WRT0103", "time-of-run", .note, "A record lacks a time; another of its times or the time of this run was written.",
    why: "the app's table requires one",
    fix: "set created_at and updated_at if they matter")

  /// A value that the app's table requires and nothing can stand in for.
  public static let valueMissing = DiagnosticCode(
    "WRT0104", "value-missing", .error, "A record lacks a value that the app's table requires.",
    why: "a value that is made up would be a lie in a log",
    fix: "add the value and convert the rejected record again")

  static let writing = [duplicateRecord, missingReference, timeOfRun, valueMissing]
}
