import Interchange
import JSONText

/// Tells rows of totals: a word for a sum, and numbers.
///
/// - Source: formats/tables.md, "Rows that are no steps"
enum TotalRow {
  /// Whether the only text of a row is a word for a sum and all of its other cells are empty or numbers, at least one of
  /// them a number.
  static func isTotal(_ row: borrowing TableRow) -> Bool {
    var word: Int?
    var hasNumber = false
    for cell in row.cells.indices {
      let text = CellText.trimmed(row.text(cell))
      if text.isEmpty { continue }
      if isNumber(text) {
        hasNumber = true
      } else if word == nil, text.count <= 64 {
        word = cell
      } else {
        return false
      }
    }
    guard hasNumber, let word else { return false }
    return words.contains(HeaderFold.fold(String(decoding: CellText.trimmed(row.text(word)), as: UTF8.self)))
  }

  /// Whether a cell has digits and little else: an amount, with signs or a unit of up to three letters.
  private static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count <= 40 else { return false }
    var digits = 0
    var letters = 0
    for byte in text {
      if byte &- 0x30 < 10 { digits += 1 } else if (byte | 0x20) &- 0x61 < 26 || byte >= 0xC0 { letters += 1 }
    }
    return digits > 0 && letters <= 3
  }

  private static let words: Set<String> = Set(
    ("total, totals, subtotal, sub total, grand total, sum, overall, summe, gesamt, gesamtsumme, insgesamt, "
      + "zwischensumme, total général, total generale, sous-total, somme, total general, suma, suma total, totale, "
      + "totale generale, subtotale, somma, итого, всего, итог, сумма, общий итог, промежуточный итог, total time, "
      + "gesamtdauer, gesamtzeit, durée totale, tiempo total, tempo totale, общее время")
      .split(separator: ",").map { HeaderFold.fold(String($0)) })
}
