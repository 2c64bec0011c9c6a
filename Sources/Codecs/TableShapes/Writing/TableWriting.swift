import Content
import Interchange
import JSONText

/// Turns records into the rows of tables: which tables there are is decided when all records are known, so they wait on
/// disk until then.
///
/// What no column holds goes to the run's losses. Memory is bounded by one record.
package final class TableWriting {
  private let context: RunContext
  private let shape: TableShape?
  private let hasSheets: Bool
  /// Items in the order in which they came; in a workbook one spool for each type.
  private var spools: [ContentType?: LineSpool] = [:]
  /// The spools of which some item says whose work it is.
  private var withLineage: Set<ContentType?> = []
  /// The spools of which some item has a description or tags.
  private var withAbout: Set<ContentType?> = []
  /// The names of kept columns that items of a spool have lines of, in the order in which they came.
  private var keptNames: [ContentType?: [[UInt8]]] = [:]
  private var knownNames: [ContentType?: Set<[UInt8]>] = [:]
  private var tape = JSONTape(capacity: 4096)
  private var counts: [ContentType: Int] = [:]

  /// Begins.
  /// - Parameter hasSheets: whether the target holds several tables; a file that is one table holds lists of one type,
  ///   or a catalogue.
  /// - Throws: `RunFailure` with status 64 for a shape that there is none of.
  package init(context: RunContext, hasSheets: Bool) throws {
    self.context = context
    self.hasSheets = hasSheets
    shape = try HeaderMatch.shape(named: context.reading.table.shape)
  }

  /// Takes records over and counts them.
  package func add(_ batch: RecordBatch, tally: inout Tally) throws {
    for (index, slot) in batch.slots.enumerated() {
      let line = batch.line(slot)
      if shape == .charters, slot.kind == .charter {
        let spool = try spools[nil as ContentType?] ?? LineSpool()
        spools[nil as ContentType?] = spool
        try spool.append(line)
        tally[.charter].created += 1
        continue
      }
      guard slot.kind == .item, let type = Self.type(of: line) else {
        lose(Record(batch: batch, index: index), .notInTable(Self.plural(slot.kind)), &tally)
        continue
      }
      if let shape, !Self.takes(shape, type) {
        lose(
          Record(batch: batch, index: index),
          .notInTable(of: shape.rawValue, type.rawValue.replacing("_", with: " ") + "s"), &tally)
        continue
      }
      counts[type, default: 0] += 1
      let key = hasSheets && shape == nil ? type : nil
      let spool = try spools[key] ?? LineSpool()
      spools[key] = spool
      if LineageCells.isSaid(in: line) { withLineage.insert(key) }
      if Self.isDescribed(line) { withAbout.insert(key) }
      if type == .checklist { addKeptNames(of: line, key) }
      try spool.append(line)
      tally[.item].created += 1
    }
  }

  /// Writes all tables; a table with nothing in it where there are no items at all.
  /// - Throws: `RunFailure` when the disk is full or a record cannot be written.
  package func write(to sink: any TableSink) throws {
    let tables: [(ContentType?, TableShape)] =
      hasSheets && shape == nil
      ? [(.checklist, .steps), (.flashcardDeck, .cards), (.practiceGuide, .catalogue)]
        .filter { key, _ in key.map { counts[$0, default: 0] > 0 } ?? false }
      : [(nil, shape ?? usual)]
    for (key, shape) in tables.isEmpty ? [(nil, .steps)] : tables {
      let columns =
        HeaderVocabulary.columns(of: shape) + (withAbout.contains(key) ? HeaderVocabulary.about(shape) : [])
        + (withLineage.contains(key) ? TableColumn.lineage : [])
      let names = shape == .steps ? keptNames[key] ?? [] : []
      try sink.begin(Self.name(of: shape), columns: columns, others: names.map { String(decoding: $0, as: UTF8.self) })
      if let spool = spools[key] { try write(spool, as: shape, columns, others: names, to: sink) }
      try sink.end()
    }
  }

  /// The shape of a file that is one table.
  private var usual: TableShape {
    let types = Set(counts.keys)
    if types == [.flashcardDeck] { return .cards }
    return types.subtracting([.checklist]).isEmpty ? .steps : .catalogue
  }

  /// What a sheet is called.
  package static func name(of shape: TableShape) -> String {
    switch shape {
    case .steps: "Steps"
    case .cards: "Cards"
    case .catalogue: "Catalogue"
    case .charters: "Charters"
    }
  }

  private func write(
    _ spool: LineSpool, as shape: TableShape, _ columns: [TableColumn], others: [[UInt8]], to sink: any TableSink
  ) throws {
    try spool.rewind()
    var rows = ItemRows(shape, columns: columns, others: others)
    let losses = ItemLosses(shape, losses: context.losses)
    var tape = JSONTape(capacity: 4096)
    while try spool.advance() {
      try Interruption.check()
      let line = spool.line
      tape.removeAll()
      guard let parse = try? tape.parse(line), let base = line.baseAddress else {
        throw RunFailure(.internalError, "a record is not JSON", advice: "Please report this.")
      }
      let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
      let isWhole = shape == .catalogue && losses.needsJSON(node)
      losses.record(node, documentIsWhole: isWhole)
      try rows.write(node, documentAsJSON: isWhole, to: sink)
    }
  }

  /// Notes the columns that an item of a table has lines of.
  private func addKeptNames(of line: UnsafeBufferPointer<UInt8>, _ key: ContentType?) {
    guard Self.mentionsColumns(line) else { return }
    tape.removeAll()
    guard let parse = try? tape.parse(line), let base = line.baseAddress else { return }
    var names = keptNames[key] ?? []
    for name in KeptNames.of(JSONNode(text: base, tokens: tape.tokens, index: parse.root))
    where names.count < KeptNames.most && knownNames[key, default: []].insert(name).inserted { names.append(name) }
    keptNames[key] = names
  }

  private static let columns = Array("\"columns\":[".utf8)

  /// Whether an item's canonical line has a member `columns`; from the end, where its extras are.
  private static func mentionsColumns(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = line.count - columns.count
    while at >= 0 {
      if line[at + 1] == columns[1], line[at] == columns[0], line[at...].starts(with: columns) { return true }
      at -= 1
    }
    return false
  }

  private func lose(_ record: Record, _ reason: SkipReason, _ tally: inout Tally) {
    context.losses.record(record.kind, id: record.id, field: "", reason: .skipped(reason))
    tally[record.kind].skipped[reason, default: 0] += 1
    tally.rows.skipped += Int(record.slot.rows)
  }

  private static func takes(_ shape: TableShape, _ type: ContentType) -> Bool {
    switch shape {
    case .steps: type == .checklist
    case .cards: type == .flashcardDeck
    case .catalogue: true
    case .charters: false
    }
  }

  private static func plural(_ kind: RecordKind) -> String {
    kind.isKnown ? kind.plural : "records of kind '\(kind)'"
  }

  private static let description = Array(",\"description\":".utf8)
  private static let undescribed = Array(",\"description\":null,\"tags\":[],".utf8)

  /// Whether an item's canonical line has a description or tags. The item's are before its document.
  private static func isDescribed(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    while at + description.count <= line.count {
      if line[at] == description[0], line[at...].starts(with: description) {
        return !line[at...].starts(with: undescribed)
      }
      at += 1
    }
    return false
  }

  /// The type of an item's canonical line; it is behind the id.
  private static func type(of line: UnsafeBufferPointer<UInt8>) -> ContentType? {
    guard let id = RecordLine.idRange(of: line) else { return nil }
    let key = Array(",\"content_type\":\"".utf8)
    let rest = UnsafeBufferPointer(rebasing: line[id.upperBound...])
    guard rest.starts(with: key) else { return nil }
    let word = rest[key.count...].prefix { $0 != UInt8(ascii: "\"") }
    return ContentType(rawValue: String(decoding: word, as: UTF8.self))
  }
}

/// Takes the rows of tables that are written: a CSV file takes one table, a workbook several.
///
/// Driven by one thread: `begin`, any number of rows, `end`, and again for the next table.
package protocol TableSink: AnyObject {
  /// Begins a table; its header says the columns by their raw values.
  /// - Parameters:
  ///   - name: what a sheet is called.
  ///   - others: the headers of further columns, whose cells are texts.
  func begin(_ name: String, columns: [TableColumn], others: [String]) throws

  /// Writes a row, with a cell for each column. Cells are UTF-8 as content has it, not escaped in any way; those of
  /// `minutes` are whole numbers or empty, those of `created` and `updated` times as `2026-01-05T10:11:12.345Z` or empty.
  func write(_ row: borrowing TableRow) throws

  /// Ends the table.
  func end() throws
}
