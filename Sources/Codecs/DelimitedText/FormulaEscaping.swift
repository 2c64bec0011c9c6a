import JSONText

/// Escapes and unescapes cells that a spreadsheet program would run as formulas.
///
/// A cell that looks like a formula is prefixed with an apostrophe, so that programs show it as text. A formula that
/// already has apostrophes in front gets one more. Readers remove one apostrophe, so every cell is read back byte for
/// byte.
/// - Source: formats/tables.md
package enum FormulaEscaping {
  static let apostrophe = UInt8(ascii: "'")

  /// Returns whether a spreadsheet program treats a cell that begins with this byte as a formula.
  static func isTrigger(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
    default: false
    }
  }

  /// Returns whether a cell must be prefixed with an apostrophe when it is written.
  package static func needsEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first else { return false }
    if first != apostrophe { return isTrigger(first) }
    return behindApostrophes(text).map(isTrigger) ?? false
  }

  /// Returns whether a cell begins with an apostrophe that is not part of its value.
  package static func isEscaped(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.first == apostrophe else { return false }
    return behindApostrophes(text).map(isTrigger) ?? false
  }

  private static func behindApostrophes(_ text: UnsafeBufferPointer<UInt8>) -> UInt8? {
    text.first { $0 != apostrophe }
  }
}
