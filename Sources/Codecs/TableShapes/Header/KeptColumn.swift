import Content
import Interchange
import JSONText

/// A column of a table of steps that has no member of its own: its cells become lines at the end of a step's details,
/// `Quantity: 3`.
///
/// - Source: formats/tables.md, "Columns of your own"
struct KeptColumn: Sendable {
  /// Which of its cells are kept.
  enum Kind: Sendable {
    /// Every cell with a text.
    case text
    /// A column of ticks: a cell that says no is what a new checklist looks like.
    case ticks
    /// A column of minutes: a cell that is not surely a number of minutes.
    case minutes(MinuteUnit)
  }

  /// The cell, from 0.
  let cell: Int
  /// What lines begin with, without the colon.
  let name: [UInt8]
  let kind: Kind
  /// Whether the table's header has a text for it.
  let isNamed: Bool

  /// Whether a cell becomes a line.
  /// - Parameter text: the cell's text without blanks around it.
  func keeps(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.isEmpty { return false }
    return switch kind {
    case .text: true
    case .ticks: CellValue.bool(text) != false
    case .minutes(let unit): unit.steps(text) == nil
    }
  }

  /// Stands between a name and its text.
  static let separator = Array(": ".utf8)

  /// The name of a header: one line, without what ends names.
  static func name(_ header: String, cell: Int) -> [UInt8] {
    let words = header.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
    return Array((words.isEmpty ? "Column \(cell + 1)" : String(words.prefix(200))).utf8)
  }
}

/// The names of kept columns in a record: `extras.table.columns`. With them, the lines become cells again.
enum KeptNames {
  /// How many columns a written table has for them; the lines of others stay in the details.
  static let most = 256

  /// Appends the member `extras` of an item, with a comma in front.
  static func append(_ names: [[UInt8]], into out: inout ByteBuffer) {
    out.append(",\"extras\":{\"table\":{\"columns\":[")
    for (index, name) in names.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      name.withUnsafeBufferPointer { out.appendJSONString($0) }
    }
    out.append("]}}")
  }

  /// The names that an item says; none where it says them in another form.
  static func of(_ item: JSONNode) -> [[UInt8]] {
    guard let list = item.member("extras")?.member("table")?.member("columns"), list.kind == .array else { return [] }
    var names: [[UInt8]] = []
    list.forEachElement { element in
      if let name = element.string, !name.isEmpty { names.append(Array(name.utf8)) }
    }
    return names
  }

  /// Whether an item's extras are these names and nothing else.
  static func isAll(of extras: JSONNode) -> Bool {
    guard extras.kind == .object, let table = extras.member("table"), table.kind == .object else { return false }
    var others = 0
    extras.forEachMember { name, _ in if !name.equals("table") { others += 1 } }
    table.forEachMember { name, _ in if !name.equals("columns") { others += 1 } }
    return others == 0
  }
}

/// Takes the lines of kept columns from the end of a step's details.
///
/// Only lines that end the text are taken, in the order of their columns, so that reading the written row gives the
/// same details.
struct KeptLines {
  /// What is left of the details.
  private(set) var details: Range<Int>
  /// The cells by the number of their name.
  private(set) var cells: [(name: Int, text: Range<Int>)] = []

  /// - Parameter numbers: the names of the item, numbered in its order.
  init(_ details: UnsafeBufferPointer<UInt8>, _ numbers: [[UInt8]: Int]) {
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
    // A text that begins with an empty line would come back without it.
    if let last = found.last, last.start == 1 { found.removeLast() }
    guard let last = found.last else { return }
    self.details = 0..<max(0, last.start - 1)
    cells = found.map { ($0.name, $0.text) }
  }

  private static func line(
    _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> (name: [UInt8], text: Range<Int>)? {
    var at = range.lowerBound
    while at + 1 < range.upperBound, at - range.lowerBound <= 1024 {
      if text[at] == UInt8(ascii: ":"), text[at + 1] == 0x20 {
        let value = UnsafeBufferPointer(rebasing: text[at + 2..<range.upperBound])
        if CellText.trimmed(value).isEmpty { return nil }
        return (Array(text[range.lowerBound..<at]), at + 2..<range.upperBound)
      }
      at += 1
    }
    return nil
  }
}
