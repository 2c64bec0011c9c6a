import Content
import Diagnostics
import Interchange
import JSONText

/// The documents of some catalogue rows as notes, each with front matter that is made from its row.
final class CatalogueNotes: MemberSource {
  let name: String
  let idScope: String
  let time: Timestamp
  let paths: [String]
  /// The number of bytes and lines at the beginning of each note that do not come from a cell.
  let heads: [(bytes: Int, lines: Int)]
  private let text: ByteBuffer
  private let ranges: [Range<Int>]
  private let indices: [String: Int]

  /// Creates notes from rows.
  /// - Parameter file: the table's name in findings.
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
      text.append(row.text(.document).span)
      ranges.append(start..<text.count)
    }
    // Derived step ids depend on the item's id, not on its row number.
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
    // The first heading of a note becomes the note's title, so a title is added to keep the first section's heading.
    let title = row.text(.title)
    if row.type == .checklist, !row.text(.document).starts(with: Array("# ".utf8)), !title.contains(0x0A) {
      text.append("# ")
      text.append(title.span)
      text.append("\n\n")
    }
  }

  func index(of path: String) -> Int? { indices[path] }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    text.bytes.extracting(ranges.indices.contains(index) ? ranges[index] : 0..<0)
  }

  /// Converts a position in a note to a byte offset in the cell's text. Returns nil for a position in the front matter,
  /// which does not come from a cell.
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

/// The records that the note format made from the documents of some rows.
struct ParsedDocuments {
  /// The records, keyed by the ids of their rows, with the number of each note.
  var records: [UUIDBits: (record: Record, index: Int)] = [:]
  /// The reasons why the other documents did not become records, keyed by the ids of their rows.
  var problems: [UUIDBits: [RowProblem]] = [:]

  init() {}

  /// Reads the notes. Findings in notes are reported at the places of their cells.
  init(
    _ notes: CatalogueNotes, _ format: any MemberFormat, _ rows: [CatalogueRow], _ context: RunContext,
    _ facts: TableContext
  ) throws {
    // The findings are about notes that do not exist as files, so they are reported again with the places of cells.
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
      // The time of a note comes from its row or is missing.
      if finding.code == .timeFromFile { continue }
      guard let index = notes.index(shown: finding.place.file), rows.indices.contains(index) else {
        // These findings are about all notes together.
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
