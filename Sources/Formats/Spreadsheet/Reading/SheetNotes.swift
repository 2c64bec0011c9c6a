/// What was seen in a sheet and is not taken over.
struct SheetNotes: Sendable {
  /// How many cells have a formula.
  var formulas = 0
  /// How many of them have no value that was saved.
  var valueless = 0
  /// The first of these.
  var firstValueless: (row: Int, column: Int)?
  /// How many ranges of merged cells span columns.
  var merged = 0
  /// The first of these, as the sheet writes it.
  var firstMerged = ""
}
