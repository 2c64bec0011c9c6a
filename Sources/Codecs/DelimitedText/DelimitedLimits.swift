/// How much of a text a reader takes on before it says no.
package enum DelimitedLimits {
  /// Bytes of one row: a document in a cell may be long, but nobody types sixteen megabytes.
  package static let row = 16 << 20
  /// Cells of one row: what a sheet has room for.
  package static let cells = 16_384
  /// Bytes at the beginning of a text that its dialect is found out from.
  static let head = 1 << 16
}
