/// A text table with columns aligned by their width on a terminal.
struct Table {
  private var rows: [[String]] = []
  private let rightAligned: Set<Int>

  /// Makes a table whose `rightAligned` columns hold numbers.
  init(_ header: [String], rightAligned: Set<Int> = []) {
    self.rightAligned = rightAligned
    rows = [header]
  }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// Adds a horizontal line below the current rows, before a total.
  mutating func rule() { rows.append([]) }

  /// Returns the lines, each indented by two spaces. Cells of the column `flexible` are truncated so that the lines fit
  /// into `width`.
  func lines(width: Int, flexible: Int? = nil) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    var widths = (0..<columns).map { column in
      rows.map { column < $0.count ? Self.width(of: $0[column]) : 0 }.max() ?? 0
    }
    if let flexible, flexible < columns {
      let others = widths.enumerated().filter { $0.offset != flexible }.map(\.element).reduce(0, +)
      widths[flexible] = max(12, min(widths[flexible], width - others - 2 * columns))
    }
    return rows.map { row in
      if row.isEmpty { return "  " + String(repeating: "─", count: widths.reduce(0, +) + 2 * (columns - 1)) }
      var line = " "
      for (column, cell) in row.enumerated() {
        let text = Self.cut(cell, to: widths[column])
        let padding = String(repeating: " ", count: widths[column] - Self.width(of: text))
        line += column == 0 ? " " : "  "
        line += rightAligned.contains(column) ? padding + text : text + padding
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private static func cut(_ text: String, to width: Int) -> String {
    guard self.width(of: text) > width else { return text }
    var cut = ""
    var used = 0
    for character in text {
      let next = self.width(of: String(character))
      if used + next > width - 1 { break }
      cut.append(character)
      used += next
    }
    return cut + "…"
  }

  /// Returns the number of terminal cells that `text` occupies: characters of wide scripts and emoji occupy two,
  /// joining marks zero.
  static func width(of text: String) -> Int {
    text.reduce(0) { sum, character in
      guard let scalar = character.unicodeScalars.first else { return sum }
      switch scalar.value {
      case 0x300...0x36F, 0x200B...0x200F: return sum
      case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0x1F300...0x1FAFF, 0x20000...0x3FFFD:
        return sum + 2
      default: return sum + 1
      }
    }
  }
}
