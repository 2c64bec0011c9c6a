import JSONText

/// Writes rows of cells as delimited text into a buffer (RFC 4180).
///
/// Only cells that contain delimiters, quotes or line ends are quoted. A cell that a spreadsheet program would run as a
/// formula is prefixed with an apostrophe, which readers remove.
package struct DelimitedWriter: Sendable {
  /// The delimiter and line end to write.
  package let dialect: DelimitedDialect
  /// Whether formulas are escaped. This is unnecessary only for programs that never compute formulas.
  package let escapesFormulas: Bool

  private var cells = 0
  /// The offset at which the row began, for checking whether the row has text.
  private var rowStart = 0

  /// Creates a writer.
  package init(_ dialect: DelimitedDialect, escapesFormulas: Bool = true) {
    self.dialect = dialect
    self.escapesFormulas = escapesFormulas
  }

  /// Appends a cell to the row as UTF-8.
  package mutating func append(_ text: UnsafeBufferPointer<UInt8>, to out: inout ByteBuffer) {
    if cells == 0 { rowStart = out.count } else { out.append(dialect.delimiter) }
    cells += 1
    let isEscaped = escapesFormulas && FormulaEscaping.needsEscape(text)
    guard needsQuotes(text) else {
      if isEscaped { out.append(FormulaEscaping.apostrophe) }
      out.append(text)
      return
    }
    out.reserve(text.count + 3)
    out.append(UInt8(ascii: "\""))
    if isEscaped { out.append(FormulaEscaping.apostrophe) }
    for byte in text {
      if byte == UInt8(ascii: "\"") { out.append(byte) }
      out.append(byte)
    }
    out.append(UInt8(ascii: "\""))
  }

  /// Appends a cell.
  package mutating func append(_ text: String, to out: inout ByteBuffer) {
    var text = text
    text.withUTF8 { append($0, to: &out) }
  }

  /// Ends the row.
  package mutating func endRow(_ out: inout ByteBuffer) {
    // One empty cell would be written as a blank line, which is not a row.
    if cells == 1, out.count == rowStart { out.append("\"\"") }
    dialect.lineEnd.withUnsafeBufferPointer { out.append($0) }
    cells = 0
  }

  private func needsQuotes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    for byte in text where byte == dialect.delimiter || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D {
      return true
    }
    return false
  }
}
