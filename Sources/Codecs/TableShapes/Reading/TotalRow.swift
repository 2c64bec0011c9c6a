import Interchange
import JSONText

/// Recognizes total rows, which consist of a word for a sum and numbers.
///
/// - Source: formats/tables.md, "Rows that are not steps"
enum TotalRow {
  /// Returns whether the only text in a row is a word for a sum, and all other cells are empty or numbers, with at
  /// least one number.
  /// - Parameter groups: the columns of lists and sections, which may have text if the word is in another column.
  static func isTotal(_ row: borrowing TableRow, groups: [Int]) -> Bool {
    var word: Int?
    var group: Int?
    var hasNumber = false
    for cell in row.cells.indices {
      let text = CellScanner.trimmed(row.text(cell))
      if text.isEmpty { continue }
      if isNumber(text) {
        hasNumber = true
      } else if groups.contains(cell) {
        group = cell
      } else if word == nil {
        word = cell
      } else {
        return false
      }
    }
    guard hasNumber, let found = word ?? group else { return false }
    return isWord(CellScanner.trimmed(row.text(found)))
  }

  private static func isWord(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // The first letters rule out nearly all rows.
    guard text.count <= 64, beginnings.contains(beginning(text)) else { return false }
    return words.contains(HeaderFold.fold(String(decoding: text, as: UTF8.self)))
  }

  /// Returns the first two bytes, with ASCII letters in lower case.
  private static func beginning(_ text: some Sequence<UInt8>) -> UInt32 {
    text.prefix(2).reduce(0) { $0 << 8 | UInt32($1 &- 0x41 < 26 ? $1 | 0x20 : $1) }
  }

  /// Returns whether a cell is an amount rather than a name.
  static func isAmount(_ cell: String) -> Bool {
    var cell = cell
    return cell.withUTF8 { isNumber(CellScanner.trimmed($0)) }
  }

  /// Returns whether a cell is an amount: digits, possibly with signs or a unit of up to three letters.
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

  private static let beginnings = Set(words.flatMap { [beginning($0.utf8), beginning($0.uppercased().utf8)] })
}
