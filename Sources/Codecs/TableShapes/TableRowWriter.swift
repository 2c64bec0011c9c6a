import Content
import Interchange
import JSONText

/// Converts records to the rows of tables. The tables are determined when all records are known, so records are stored
/// on disk until then.
///
/// Values without a column are recorded as losses of the run. The memory use is limited to one record.
package final class TableRowWriter {
  private let context: RunContext
  private let shape: TableShape?
  private let hasSheets: Bool
  /// The items in the order of arrival; in a workbook, one spool for each type.
  private var spools: [ContentType?: LineSpool] = [:]
  /// The spools that contain an item with a lineage.
  private var withLineage: Set<ContentType?> = []
  /// The spools that contain an item with a description or tags.
  private var withAbout: Set<ContentType?> = []
  /// For each spool, the names of the kept columns for which items have lines, in the order of arrival.
  private var keptNames: [ContentType?: [[UInt8]]] = [:]
  private var knownNames: [ContentType?: Set<[UInt8]>] = [:]
  private var tape = JSONTape(capacity: 4096)
  private var counts: [ContentType: Int] = [:]

  /// Creates a writer.
  /// - Parameter hasSheets: whether the target has several tables. A file that is a single table contains lists of one
  ///   type or a catalogue.
  /// - Throws: `RunFailure` with status 64 for an unknown shape.
  package init(context: RunContext, hasSheets: Bool) throws {
    self.context = context
    self.hasSheets = hasSheets
    shape = try HeaderMatch.shape(named: context.reading.table.shape)
  }

  /// Adds records and counts them.
  package func add(_ batch: RecordBatch, tally: inout Tally) throws {
    for (index, slot) in batch.slots.enumerated() {
      let text = batch.line(slot)
      let line = text.span
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
      if let shape, !Self.canHold(type, in: shape) {
        lose(
          Record(batch: batch, index: index),
          .notInTable(of: shape.rawValue, type.rawValue.replacing("_", with: " ") + "s"), &tally)
        continue
      }
      counts[type, default: 0] += 1
      let key = hasSheets && shape == nil ? type : nil
      let spool = try spools[key] ?? LineSpool()
      spools[key] = spool
      if LineageCells.isPresent(in: line) { withLineage.insert(key) }
      if Self.isDescribed(line) { withAbout.insert(key) }
      if type == .checklist { addKeptNames(of: text, key) }
      try spool.append(line)
      tally[.item].created += 1
    }
  }

  /// Writes all tables, or one empty table if there are no items.
  /// - Throws: `RunFailure` if the disk is full or a record cannot be written.
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

  /// The shape of a file that is a single table.
  private var usual: TableShape {
    let types = Set(counts.keys)
    if types == [.flashcardDeck] { return .cards }
    return types.subtracting([.checklist]).isEmpty ? .steps : .catalogue
  }

  /// Returns the name of a sheet.
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
      guard let parse = try? tape.parse(line.span), let base = line.baseAddress else {
        throw RunFailure(.internalError, "a record is not JSON", advice: "Please report this.")
      }
      let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
      let isWhole = shape == .catalogue && losses.needsJSON(node)
      losses.record(node, documentIsWhole: isWhole)
      try rows.write(node, documentAsJSON: isWhole, to: sink)
    }
  }

  /// Records the columns for which an item has lines.
  private func addKeptNames(of line: UnsafeBufferPointer<UInt8>, _ key: ContentType?) {
    guard Self.mentionsColumns(line.span) else { return }
    tape.removeAll()
    guard let parse = try? tape.parse(line.span), let base = line.baseAddress else { return }
    var names = keptNames[key] ?? []
    for name in CustomColumnNames.of(JSONNode(text: base, tokens: tape.tokens, index: parse.root))
    where names.count < CustomColumnNames.most && knownNames[key, default: []].insert(name).inserted {
      names.append(name)
    }
    keptNames[key] = names
  }

  private static let columns: StaticString = "\"columns\":["

  /// Returns whether an item's canonical line has a member `columns`. The search begins at the end, where the extras
  /// are.
  private static func mentionsColumns(_ line: Span<UInt8>) -> Bool {
    var at = line.count - columns.utf8CodeUnitCount
    while at >= 0 {
      if line[at + 1] == UInt8(ascii: "c"), line.starts(with: columns, at: at) { return true }
      at -= 1
    }
    return false
  }

  private func lose(_ record: Record, _ reason: SkipReason, _ tally: inout Tally) {
    context.losses.record(record.kind, id: record.id, field: "", reason: .skipped(reason))
    tally[record.kind].skipped[reason, default: 0] += 1
    tally.rows.skipped += Int(record.slot.rows)
  }

  private static func canHold(_ type: ContentType, in shape: TableShape) -> Bool {
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

  private static let description: StaticString = ",\"description\":"
  private static let undescribed: StaticString = ",\"description\":null,\"tags\":[],"

  /// Returns whether an item's canonical line has a description or tags. The item's own members precede its document.
  private static func isDescribed(_ line: Span<UInt8>) -> Bool {
    var at = 0
    while let comma = line.firstIndex(of: UInt8(ascii: ","), from: at) {
      if line.starts(with: description, at: comma) { return !line.starts(with: undescribed, at: comma) }
      at = comma + 1
    }
    return false
  }

  /// Returns the type of an item from its canonical line, in which the type follows the id.
  private static func type(of line: Span<UInt8>) -> ContentType? {
    guard let id = RecordLine.idRange(of: line) else { return nil }
    let key: StaticString = ",\"content_type\":\""
    guard line.starts(with: key, at: id.upperBound) else { return nil }
    let start = id.upperBound + key.utf8CodeUnitCount
    let end = line.firstIndex(of: UInt8(ascii: "\""), from: start) ?? line.count
    return ContentType(rawValue: String(decoding: line.extracting(start..<end)))
  }
}

/// Receives the rows of the tables to write. A CSV file holds one table; a workbook holds several.
///
/// One thread calls `begin`, writes any number of rows, calls `end`, and repeats this for the next table.
package protocol TableSink: AnyObject {
  /// Begins a table. The header consists of the raw values of the columns.
  /// - Parameters:
  ///   - name: the name of the sheet.
  ///   - others: the headers of further columns with text cells.
  func begin(_ name: String, columns: [TableColumn], others: [String]) throws

  /// Writes a row with a cell for each column. Cells are UTF-8 without any escapes. A cell of `minutes` is a whole
  /// number or empty; a cell of `created` or `updated` is a time like `2026-01-05T10:11:12.345Z` or empty.
  func write(_ row: borrowing TableRow) throws

  /// Ends the table.
  func end() throws
}
