import Diagnostics

/// A row that is no row of its table: it has more cells than the header, or a quote that nobody closes.
package struct TableRowError: Error {
  /// What a row leaves to a row above it that could not be read either.
  package enum Following: String, Sendable {
    /// Its checklist or deck, and its section with it.
    case list
    /// Its section.
    case section
  }

  /// What is wrong, for people.
  package let message: String
  /// The cell that is meant, from 0; nil for the whole row.
  package let cell: Int?
  /// The kind of finding that it becomes.
  package let code: DiagnosticCode
  /// Whether the row has another number of cells than the header, so that its cells may stand in the wrong columns.
  package let isRagged: Bool
  /// What it leaves to a row that could not be read; nil when it says all, or leaves it to rows that were read.
  package var following: Following?
  /// Whether the row itself can be read, and only `following` keeps it from being used.
  package let isBehind: Bool
  /// Whether it certainly belongs to the same checklist or deck as the row above.
  package var staysInList = false
  /// Whether it certainly belongs to another one.
  package var leavesList = false

  /// A row that cannot be read.
  package init(
    _ message: String, cell: Int? = nil, isRagged: Bool = false, code: DiagnosticCode = .unusableRow
  ) {
    self.message = message
    self.cell = cell
    self.code = code
    self.isRagged = isRagged
    isBehind = false
  }

  /// A row that leaves something to a row that could not be read.
  package init(_ message: String, cell: Int?, following: Following) {
    self.message = message
    self.cell = cell
    self.following = following
    code = .unusableRow
    isRagged = false
    isBehind = true
  }
}
