import Content
import Interchange
import JSONText

/// A column of a step table that does not correspond to a member. Its cells become lines at the end of a step's
/// details, such as `Quantity: 3`.
///
/// - Source: formats/tables.md, "Columns of your own"
struct CustomColumn: Sendable {
  /// The rule for which cells of the column are kept.
  enum Kind: Sendable {
    /// Keeps every cell with text.
    case text
    /// Keeps the ticks of a column for finished steps. A cell that means no is dropped, because a new checklist has no
    /// ticks either.
    case ticks
    /// Keeps those cells of a minutes column that are not clearly a number of minutes.
    case minutes(MinuteUnit)
  }

  /// The index of the column's cell, from 0.
  let cell: Int
  /// The beginning of the column's lines, without the colon.
  let name: [UInt8]
  let kind: Kind
  /// Whether the table's header names the column.
  let isNamed: Bool

  /// Returns whether a cell becomes a line.
  /// - Parameter text: the cell's text, trimmed of blanks.
  func accepts(_ text: Span<UInt8>) -> Bool {
    if text.isEmpty { return false }
    return switch kind {
    case .text: true
    case .ticks: CellValue.bool(text) != false
    case .minutes(let unit): unit.steps(text) == nil
    }
  }

  /// The separator between a name and its text.
  static let separator: StaticString = ": "

  /// Returns the name for a header as one line, without characters that would end the name.
  static func name(_ header: String, cell: Int) -> [UInt8] {
    let words = header.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
    return Array((words.isEmpty ? "Column \(cell + 1)" : String(words.prefix(200))).utf8)
  }
}

/// The names of the kept columns in a record, `extras.table.columns`. With them, lines can be converted back to cells.
enum CustomColumnNames {
  /// The largest number of kept columns in a written table. Lines of further columns stay in the details.
  static let most = 256

  /// Appends a comma and the member `extras` of an item.
  static func append(_ names: [[UInt8]], into out: inout ByteBuffer) {
    out.append(",\"extras\":{\"table\":{\"columns\":[")
    for (index, name) in names.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(name.span)
    }
    out.append("]}}")
  }

  /// Returns the names in an item, or an empty array if they have a different form.
  static func of(_ item: JSONNode) -> [[UInt8]] {
    guard let list = item.member("extras")?.member("table")?.member("columns"), list.kind == .array else { return [] }
    var names: [[UInt8]] = []
    list.forEachElement { element in
      if let name = element.string, !name.isEmpty { names.append(Array(name.utf8)) }
    }
    return names
  }

  /// Returns whether an item's extras contain only the names of kept columns.
  static func isAll(of extras: JSONNode) -> Bool {
    guard extras.kind == .object, let table = extras.member("table"), table.kind == .object else { return false }
    var others = 0
    extras.forEachMember { name, _ in if !name.equals("table") { others += 1 } }
    table.forEachMember { name, _ in if !name.equals("columns") { others += 1 } }
    return others == 0
  }
}

/// Extracts the lines of kept columns from the end of a step's details.
///
/// Only lines at the end of the text are extracted, in the order of their columns, so that reading the written row
/// gives the same details.
struct CustomColumnLines {
  /// The remaining range of the details.
  private(set) var details: Range<Int>
  /// The extracted cells, with the numbers of their names.
  private(set) var cells: [(name: Int, text: Range<Int>)] = []

  /// - Parameter numbers: the item's names with their numbers, in the order of the item.
  init(_ details: Span<UInt8>, _ numbers: [[UInt8]: Int]) {
    self.details = 0..<details.count
    var end = details.count
    var bound = Int.max
    var found: [(name: Int, text: Range<Int>, start: Int)] = []
    while end > 0 {
      var start = end
      while start > 0, details[start - 1] != 0x0A { start -= 1 }
      guard let (name, text) = Self.line(details, start..<end), let number = numbers[name], number < bound else {
        break
      }
      found.append((number, text, start))
      bound = number
      end = start - 1
    }
    // A reader would drop the empty line at the beginning of such details.
    if let last = found.last, last.start == 1 { found.removeLast() }
    guard let last = found.last else { return }
    self.details = 0..<max(0, last.start - 1)
    cells = found.map { ($0.name, $0.text) }
  }

  private static func line(
    _ text: Span<UInt8>, _ range: Range<Int>
  ) -> (name: [UInt8], text: Range<Int>)? {
    var at = range.lowerBound
    while at + 1 < range.upperBound, at - range.lowerBound <= 1024 {
      if text[at] == UInt8(ascii: ":"), text[at + 1] == 0x20 {
        let value = at + 2..<range.upperBound
        if CellScanner.trimmed(text.extracting(value)).isEmpty { return nil }
        return (Array(text.extracting(range.lowerBound..<at)), value)
      }
      at += 1
    }
    return nil
  }
}
