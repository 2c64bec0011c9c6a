/// Features of a sheet that are not imported.
struct SheetNotes: Sendable {
  /// The number of cells with formulas.
  var formulas = 0
  /// The number of formulas without a saved value.
  var valueless = 0
  /// The first formula without a saved value.
  var firstValueless: (row: Int, column: Int)?
  /// The number of merged ranges that span columns.
  var merged = 0
  /// The first of these ranges, as the sheet spells it.
  var firstMerged = ""
}
