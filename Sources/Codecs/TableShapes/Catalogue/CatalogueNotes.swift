import Content
import Interchange
import JSONText

/// The documents of some rows of a catalogue as notes: each with the front matter that its row says.
final class CatalogueNotes: MemberSource {
  let name: String
  let idScope: String
  let time: Timestamp
  let paths: [String]
  /// How many bytes and lines of each are front matter that no cell has.
  let heads: [(bytes: Int, lines: Int)]
  private let text: ByteBuffer
  private let ranges: [Range<Int>]
  private let indices: [String: Int]

  /// Makes notes of rows.
  /// - Parameter file: the table, as findings name it.
  init(_ rows: [CatalogueRow], file: String, scope: String, time: Timestamp) {
    name = file
    idScope = scope
    self.time = time
    var text = ByteBuffer(capacity: 1 << 16)
    var ranges: [Range<Int>] = []
    var heads: [(bytes: Int, lines: Int)] = []
    for row in rows {
      let start = text.count
      if !row.hasFrontMatter { Self.writeHead(row, into: &text) }
      let head = text.count - start
      heads.append((head, text.bytes[start..<text.count].count { $0 == 0x0A }))
      row.text(.document).withUnsafeBufferPointer { text.append($0) }
      ranges.append(start..<text.count)
    }
    // Ids of steps that a document does not say hang on the item's id, not on the number of its row.
    paths = rows.map { $0.id.text + ".md" }
    indices = Dictionary(paths.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    self.ranges = ranges
    self.heads = heads
    self.text = text
  }

  private static func writeHead(_ row: CatalogueRow, into text: inout ByteBuffer) {
    func line(_ key: StaticString, _ value: String) {
      text.append(key)
      text.append(": ")
      text.appendJSONString(value)
      text.append("\n")
    }
    text.append("---\n")
    line("id", row.id.text)
    if let type = row.type { line("type", type.rawValue) }
    line("title", String(decoding: row.text(.title), as: UTF8.self))
    if let language = row.language { line("language", language) }
    text.append("---\n")
    // A note gives its first heading away as its title; that of a section must stay one.
    let title = row.text(.title)
    if row.type == .checklist, !row.text(.document).starts(with: Array("# ".utf8)), !title.contains(0x0A) {
      text.append("# ")
      title.withUnsafeBufferPointer { text.append($0) }
      text.append("\n\n")
    }
  }

  func index(of path: String) -> Int? { indices[path] }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    guard ranges.indices.contains(index) else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(rebasing: text.bytes[ranges[index]])
  }

  /// The byte of a cell's text at a place in its note; nil in the front matter that no cell has.
  func offset(line: Int, column: Int, in index: Int) -> Int? {
    guard heads.indices.contains(index), line > heads[index].lines else { return nil }
    let bytes = bytes(of: index)
    var at = 0
    var current = 1
    while current < line, at < bytes.count {
      if bytes[at] == 0x0A { current += 1 }
      at += 1
    }
    var scalar = 1
    while scalar < column, at < bytes.count, bytes[at] != 0x0A {
      at += 1
      while at < bytes.count, bytes[at] & 0xC0 == 0x80 { at += 1 }
      scalar += 1
    }
    return at - heads[index].bytes
  }
}
