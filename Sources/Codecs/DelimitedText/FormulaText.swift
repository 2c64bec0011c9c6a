import JSONText

/// Cells that a spreadsheet program would run as formulas: how they are written, and how they are read again.
///
/// A formula-looking cell gets an apostrophe in front, which programs show as text; one that begins with apostrophes
/// before a formula gets one more. Reading takes one away: what is written comes back byte for byte.
/// - Source: formats/tables.md
package enum FormulaText {
  static let apostrophe = UInt8(ascii: "'")

  /// Whether a spreadsheet program takes a cell that begins with this byte for a formula.
  static func isTrigger(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
    default: false
    }
  }

  /// Whether a cell needs an apostrophe in front when it is written.
  package static func needsEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first else { return false }
    if first != apostrophe { return isTrigger(first) }
    return behindApostrophes(text).map(isTrigger) ?? false
  }

  /// Whether a cell that was read has an apostrophe in front that is not its own.
  package static func isEscaped(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.first == apostrophe else { return false }
    return behindApostrophes(text).map(isTrigger) ?? false
  }

  private static func behindApostrophes(_ text: UnsafeBufferPointer<UInt8>) -> UInt8? {
    text.first { $0 != apostrophe }
  }
}
