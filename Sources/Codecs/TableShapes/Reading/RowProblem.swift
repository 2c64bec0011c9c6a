import Diagnostics

/// Something about a row that has to be said: an error rejects the row, anything less does not.
struct RowProblem {
  let code: DiagnosticCode
  let message: String
  /// The cell, from 0; nil for the whole row.
  let cell: Int?

  init(_ code: DiagnosticCode, _ message: String, cell: Int?) {
    self.code = code
    self.message = message
    self.cell = cell
  }

  /// Whether the row cannot be used.
  var rejects: Bool { code.severity == .error }
}
