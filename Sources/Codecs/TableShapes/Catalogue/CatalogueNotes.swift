import Content
import Diagnostics
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

/// What the format of notes made of the documents of some rows.
struct ReadNotes {
  /// The records by the ids of their rows, and the number of each note.
  var records: [UUIDBits: (record: Record, index: Int)] = [:]
  /// Why others are none.
  var problems: [UUIDBits: [RowProblem]] = [:]

  init() {}

  /// Reads the notes; what is found in them is reported at the places of their cells.
  init(
    _ notes: CatalogueNotes, _ format: any MemberFormat, _ rows: [CatalogueRow], _ context: RunContext,
    _ facts: TableFacts
  ) throws {
    // What is found is in notes that no one has; it is said again with the places of cells.
    let findings = DiagnosticLog(keepPerCode: 5000)
    var options = context.reading
    options.collectsIDs = false
    let inner = RunContext(findings: findings, reading: options, now: context.now)
    let reader = try format.reader(of: notes, context: inner)
    while let batch = try reader.next() {
      for record in batch.records where record.kind == .item {
        guard let index = notes.index(shown: record.batch.locator.file(of: record)), rows.indices.contains(index)
        else { continue }
        records[rows[index].id] = (record, index)
      }
    }
    let cell = facts.cell(.document)
    for finding in findings.kept {
      // The time of a note is what its row says, or nothing.
      if finding.code == .timeFromFile { continue }
      guard let index = notes.index(shown: finding.place.file), rows.indices.contains(index) else {
        // What is said of all of them together.
        context.findings.report(finding)
        continue
      }
      let row = rows[index]
      var part: Range<Int>?
      if let line = finding.place.line,
        let offset = notes.offset(line: line, column: finding.place.column ?? 1, in: index)
      {
        part = offset..<offset
      }
      if records[row.id] == nil, finding.severity == .error {
        problems[row.id, default: []].append(RowProblem(finding.code, finding.message, cell: cell))
        continue
      }
      let found = facts.places.place(row: row.row.place, cell: cell, part: part)
      context.findings.report(
        Diagnostic(
          finding.code, finding.message, at: found.place, record: finding.record, title: finding.title,
          severity: finding.severity, fix: finding.fix, excerpt: found.excerpt))
    }
    for explanation in inner.explanations.all {
      guard let index = notes.index(shown: explanation.file), rows.indices.contains(index) else { continue }
      let place = facts.places.place(row: rows[index].row.place, cell: cell, part: nil).place
      context.explanations.add(
        Explanation(
          file: place.description, takenFor: explanation.takenFor, certainty: explanation.certainty,
          reasons: explanation.reasons.map { Explanation.Reason($0.text, weight: $0.weight) }))
    }
  }
}
