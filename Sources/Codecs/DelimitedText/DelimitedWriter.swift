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
  package mutating func append(_ text: Span<UInt8>, to out: inout ByteBuffer) {
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
    for at in text.indices {
      let byte = text[at]
      if byte == UInt8(ascii: "\"") { out.append(byte) }
      out.append(byte)
    }
    out.append(UInt8(ascii: "\""))
  }

  /// Appends a cell.
  package mutating func append(_ text: String, to out: inout ByteBuffer) {
    append(text.utf8.span, to: &out)
  }

  /// Ends the row.
  package mutating func endRow(_ out: inout ByteBuffer) {
    // One empty cell would be written as a blank line, which is not a row.
    if cells == 1, out.count == rowStart { out.append("\"\"") }
    out.append(dialect.lineEnd.span)
    cells = 0
  }

  private func needsQuotes(_ text: Span<UInt8>) -> Bool {
    text.contains { $0 == dialect.delimiter || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
  }
}

/// Escapes and unescapes cells that a spreadsheet program would run as formulas.
///
/// A cell that looks like a formula is prefixed with an apostrophe, so that programs show it as text. A formula that
/// already has apostrophes in front gets one more. Readers remove one apostrophe, so every cell is read back byte for
/// byte.
/// - Source: formats/tables.md
package enum FormulaEscaping {
  static let apostrophe = UInt8(ascii: "'")

  /// Returns whether a spreadsheet program treats a cell that begins with this byte as a formula.
  private static func isTrigger(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
    default: false
    }
  }

  /// Returns whether a cell must be prefixed with an apostrophe when it is written.
  package static func needsEscape(_ text: Span<UInt8>) -> Bool {
    guard let first = text.first else { return false }
    if first != apostrophe { return isTrigger(first) }
    return behindApostrophes(text).map(isTrigger) ?? false
  }

  /// Returns whether a cell begins with an apostrophe that is not part of its value.
  package static func isEscaped(_ text: Span<UInt8>) -> Bool {
    guard text.first == apostrophe else { return false }
    return behindApostrophes(text).map(isTrigger) ?? false
  }

  private static func behindApostrophes(_ text: Span<UInt8>) -> UInt8? {
    text.firstIndex { $0 != apostrophe }.map { text[$0] }
  }
}
