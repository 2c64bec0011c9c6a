import Content
import Diagnostics
import Interchange
import JSONText

/// Reads a table of steps or cards, and makes checklists or decks from it in batches.
final class ListTableReader: TableRowReader {
  /// The size in bytes at which a batch is returned.
  private static let batchBytes = 1 << 20
  /// The largest number of rejects in a batch. Rejects are as large as rows, so a table that consists only of rejects
  /// must not fill the memory.
  private static let batchRejects = 2000
  /// The largest size of a checklist or deck as JSON in bytes, which is about 150,000 steps. A checklist or deck is
  /// kept in memory as a whole.
  static let largestItem = RecordLimits.bytes

  private let facts: TableContext
  private let reports: RowReporter
  private let memory: BatchMemory
  private let source: any TableRows
  /// The rows grouped by item, if items are scattered in the table.
  private let gathered: GatheredRows?
  private let itemKey: Int
  private var tracker: GroupTracker
  private var builder: ListBuilder
  private var row = TableRow()
  private var group: UInt64 = 0
  private var ordinal = 0
  /// The size of the current batch's rejected rows in bytes.
  private var rejectedBytes = 0
  private var isAtEnd = false
  /// Whether the item of the next row may have lost a row.
  private var nextIsPartial = false
  /// The last row that this item may have lost.
  private var nextLost: BatchRows.Lost?
  /// The title of the group in its rows and in its item. It is cached at the first request, because it may be megabytes
  /// long and each rejected row names it.
  private var titles: (written: String?, read: String?) = (nil, nil)

  /// Examines all rows, then prepares to read them.
  /// - Parameter header: the number of rows above the header.
  /// - Throws: `RunFailure` if the source cannot be read.
  init(
    _ rows: TableBody, _ facts: TableContext, scope: TableScope, header: Int, context: RunContext, memory: BatchMemory
  ) throws {
    let retry = context.reading.table.retry
    let survey = try TableGrouping(rows, facts.layout, header: header, retry: retry)
    var facts = facts
    facts.layout.keepsMinutes = survey.keepsMinutes
    self.facts = facts
    self.memory = memory
    reports = RowReporter(facts, context)
    itemKey = survey.itemKey(facts.layout)
    tracker = GroupTracker(facts.layout, key: itemKey)
    builder = ListBuilder(
      facts.layout, scope: scope, rowKey: survey.keyRole == .rows ? facts.layout.key ?? -1 : -1)
    gathered = survey.isScattered ? try GatheredRows(rows, facts.layout, survey: survey) : nil
    source = gathered ?? rows
  }

  var rowCount: Int { ordinal }

  var progress: (done: Int, total: Int?) { source.progress }

  func next() throws -> RecordBatch? {
    if isAtEnd { return nil }
    let locator = TableLocator(facts)
    let batch = RecordBatch(
      locator: locator, traits: facts.traits, origin: locator,
      capacity: Self.batchBytes + Self.batchBytes / 4, memory: memory)
    var rows = BatchRows()
    var count = 0
    rejectedBytes = 0
    while batch.canonical.count < Self.batchBytes, batch.rejected.count < Self.batchRejects,
      rejectedBytes < Self.batchBytes
    {
      count += 1
      if count & 0xFFF == 0 { try Interruption.check() }
      do {
        guard try source.next(into: &row) else {
          isAtEnd = true
          builder.finish(into: batch, &rows)
          reports.report(builder.ids.nearly)
          reports.report(languages: builder.group.languages, isDeck: builder.isDeck)
          break
        }
      } catch let error as TableRowError {
        lose(error, batch)
        continue
      }
      ordinal += 1
      if isNewGroup() {
        titles = (nil, nil)
        builder.finish(into: batch, &rows)
        builder.begin(row, anchor: tracker.anchor, key: itemKey, id: gathered?.groupID)
        if nextIsPartial { builder.losses.isPartial = true }
        if let nextLost { builder.losses.add(nextLost) }
        nextIsPartial = false
        nextLost = nil
      }
      builder.ordinal = gathered?.ordinal ?? ordinal
      let before = builder.lastID
      let outcome = builder.add(row)
      if !builder.problems.isEmpty { report(outcome, after: before, batch) }
      if builder.size > Self.largestItem { throw tooLarge() }
    }
    locator.store(rows)
    if isAtEnd, batch.slots.isEmpty, batch.rejected.isEmpty { return nil }
    return batch
  }

  @inline(__always)
  private func isNewGroup() -> Bool {
    guard let gathered else { return tracker.advance(row) }
    // Rows of one group may identify the item differently, so only the group number counts.
    if gathered.group == group, group > 0 { return false }
    group = gathered.group
    tracker.begin()
    return tracker.advance(row)
  }

  private func report(_ outcome: ListBuilder.Outcome, after: UUIDBits?, _ batch: RecordBatch) {
    let place = BatchRows.Row(row, ordinal: builder.ordinal)
    let noun = builder.isDeck ? "deck" : "checklist"
    let isSelected = reports.maySelect(
      place, type: builder.isDeck ? .flashcardDeck : .checklist, id: builder.knownID,
      title: knownTitle(), tags: builder.group.knownTags)
    if isSelected {
      reports.report(
        builder.problems, of: place, record: "\(noun) \(builder.ids.list.text)",
        title: builderTitle())
    }
    guard outcome == .rejected else { return }
    var rejected = reports.reject(
      builder.problems, of: place, after: after.map { .behind($0.text) } ?? .first, above: above())
    rejected.isSelected = isSelected
    append(rejected, to: batch)
  }

  private func builderTitle() -> String {
    if let title = titles.read, title.utf8.count == builder.group.title.count { return title }
    let title = String(decoding: builder.group.title.bytes, as: UTF8.self)
    titles.read = title
    return title
  }

  /// Returns the title of the current item; nil if a later row may have it.
  private func knownTitle() -> String? {
    let title = builderTitle()
    if !title.isEmpty { return title }
    return facts.layout.has(builder.isDeck ? .deck : .checklist) ? nil : builder.scope.name
  }

  private func append(_ rejected: RejectedRecord, to batch: RecordBatch) {
    rejectedBytes += rejected.size
    batch.rejected.append(rejected)
  }

  private func tooLarge() -> RunFailure {
    let noun = builder.isDeck ? "deck" : "checklist"
    let place = facts.places.place(row: BatchRows.Row(row, ordinal: builder.ordinal).place, cell: nil, part: nil).place
    let why = "up to this row, the \(noun) has more than \(Self.largestItem) bytes"
    return RunFailure(
      .failed,
      Diagnostic(
        .unusableRow, why, at: place, record: "\(noun) \(builder.ids.list.text)",
        fix: "split the \(noun) into several"),
      message: "\(TerminalEscaping.escape(place.description)): \(why)")
  }

  /// Returns the values that the current row takes from the rows above it.
  /// - Parameter following: the values that the row takes from a row that could not be read.
  private func above(_ following: TableRowError.Following? = nil) -> [String: String] {
    if let known = facts.retry?.above(row: builder.ordinal), known[RetriedRows.follows] == nil { return known }
    var above: [String: String] = [:]
    let layout = facts.layout
    func isBlank(_ cell: Int?) -> Bool { cell.map { row.trimmed($0).isEmpty } ?? true }
    func add(_ name: String, _ text: Span<UInt8>, _ cell: Int?) {
      if cell != nil, !text.isEmpty { above[name] = String(decoding: text) }
    }
    func addTitle(_ name: String, _ cell: Int?) {
      guard cell != nil, tracker.title.count > 0 else { return }
      let text = titles.written ?? String(decoding: tracker.title.bytes, as: UTF8.self)
      titles.written = text
      above[name] = text
    }
    let title: TableColumn = layout.shape == .cards ? .deck : .checklist
    let id: TableColumn = layout.shape == .cards ? .deckID : .checklistID
    let key = itemKey >= 0 ? itemKey : nil
    let keepsList = isBlank(layout.cells[title]) && isBlank(layout.cells[id]) && isBlank(key)
    if keepsList, following != .list {
      addTitle(title.rawValue, layout.cells[title])
      add(id.rawValue, tracker.id.bytes.span, layout.cells[id])
      add("key", tracker.key.bytes.span, key)
    }
    if following == nil, isBlank(layout.cells[.section]), isBlank(layout.cells[.sectionID]) {
      add(TableColumn.section.rawValue, builder.sections.lastTitle.bytes.span, layout.cells[.section])
      add(TableColumn.sectionID.rawValue, builder.sections.lastID.bytes.span, layout.cells[.sectionID])
    }
    if let following { above[RetriedRows.follows] = following.rawValue }
    if itemKey >= 0 { above[TableGrouping.keyTells] = TableGrouping.items }
    return above
  }

  /// Handles a row that cannot be split into cells. The row may belong to the item above it, to the item below it, or
  /// to its own item.
  private func lose(_ error: TableRowError, _ batch: RecordBatch) {
    ordinal += 1
    let place = BatchRows.Row(row, ordinal: gathered?.ordinal ?? ordinal)
    builder.ordinal = gathered?.ordinal ?? ordinal
    let problems = [RowProblem(error.isBehind ? .rowBehindLost : error.code, error.message, cell: error.cell)]
    reports.report(problems, of: place, record: nil, title: nil)
    let after: StepAnchor =
      error.leavesList ? .first : builder.hasGroup ? builder.lastID.map { .behind($0.text) } ?? .first : .unknown
    let above: [String: String]
    if let known = facts.retry?.above(row: builder.ordinal), error.following != nil || known[RetriedRows.follows] == nil
    {
      above = known
    } else {
      // The row's cells may be in the wrong columns. The values of the rows above are used if its cells turn out to be
      // empty.
      if !error.isBehind { row.cells.removeAll(keepingCapacity: true) }
      above = self.above(error.following)
    }
    append(
      reports.reject(problems, of: place, isBehind: error.following != nil, after: after, above: above), to: batch)
    builder.losses.isPartial = true
    builder.losses.hasRejects = builder.hasGroup
    let lost = BatchRows.Lost(row: place)
    builder.losses.add(lost)
    if gathered != nil { builder.losses.addToAll(lost) }
    nextIsPartial = true
    nextLost = lost
  }
}

/// The rows of a table with scattered items, regrouped by item. Items are in the order in which they first appear, and
/// the rows of an item are in table order.
///
/// The rows are sorted on disk, so that memory holds only one run of the sort.
final class GatheredRows: TableRows {
  private let sorter = ExternalSorter { line, key in key.append(line.span.extracting(first: 8)) }
  private let source: any TableRows
  private var given = 0
  private var count = 0
  /// The number of the current row's group.
  private(set) var group: UInt64 = 0
  /// The number of the current row in the table, from 1.
  private(set) var ordinal = 0

  /// The ids of the groups whose first row has no id.
  private var ids: [UInt64: [UInt8]] = [:]

  /// The id of the current row's group, if the group's first row has no id.
  var groupID: [UInt8]? { ids[group] }

  /// The byte that ends a cell. This byte never occurs in UTF-8.
  private static let mark: UInt8 = 0xFF
  private static let endOfCell: UInt8 = 0x01
  private static let lineEnd: UInt8 = 0x02
  private static let error: UInt8 = 0x03
  /// The byte that marks a run of empty cells, before their number. Such runs are stored compactly because a row may
  /// have its only text in column 1024.
  private static let emptyCells: UInt8 = 0x04

  /// Gathers all rows from the reader's current position to the end.
  /// - Throws: `RunFailure` if the source cannot be read or the disk is full.
  init(_ rows: any TableRows, _ layout: TableLayout, survey: TableGrouping) throws {
    source = rows
    var tracker = GroupTracker(layout, key: survey.itemKey(layout))
    var numbers: [KeyHash: Int] = [:]
    var row = TableRow()
    var line = ByteBuffer(capacity: 4096)
    var current = 0
    while true {
      if count & 0xFFF == 0 { try Interruption.check() }
      var failure: TableRowError?
      do {
        guard try rows.next(into: &row) else { break }
        if tracker.advance(row) {
          var key = tracker.hash
          let isTitle = tracker.anchor == .title
          let id = isTitle ? survey.idsByTitle[key] : nil
          if let id { key = id }
          if let known = numbers[key] {
            current = known
          } else {
            current = numbers.count + 1
            numbers[key] = current
            if id != nil { ids[UInt64(current)] = [] }
          }
          if tracker.anchor == .id, ids[UInt64(current)]?.isEmpty == true {
            ids[UInt64(current)] = Array(tracker.id.bytes)
          }
        }
      } catch let error as TableRowError {
        failure = error
      }
      count += 1
      // The item of an unreadable row may be unknown. Such rows come before all others.
      let group = failure.map { $0.staysInList ? current : 0 } ?? current
      Self.write(row, [group, count], failure, into: &line)
      try sorter.add(line.bytes.span)
    }
    try sorter.sort()
  }

  func next(into row: inout TableRow) throws -> Bool {
    guard let line = try sorter.next()?.span else { return false }
    given += 1
    group = Self.number(line, at: 0)
    row.removeAll()
    row.number = Int(Self.number(line, at: 8))
    row.offset = Int(Self.number(line, at: 16))
    row.length = Int(Self.number(line, at: 24))
    ordinal = Int(Self.number(line, at: 32))
    var at = 40
    var run = at
    var start = 0
    while at < line.count {
      guard line[at] == Self.mark, at + 1 < line.count else {
        at += 1
        continue
      }
      row.bytes.append(line.extracting(run..<at))
      switch line[at + 1] {
      case Self.endOfCell:
        row.cells.append(TableRow.Cell(start: start, length: row.bytes.count - start))
        start = row.bytes.count
      case Self.lineEnd: row.bytes.append(0x0A)
      case Self.emptyCells where at + 4 < line.count:
        let count = Int(line[at + 2] & 0x7F) << 14 | Int(line[at + 3] & 0x7F) << 7 | Int(line[at + 4] & 0x7F)
        row.cells.append(contentsOf: repeatElement(TableRow.Cell(start: start, length: 0), count: count))
        at += 3
      default:
        throw Self.error(line.extracting(droppingFirst: at + 2))
      }
      at += 2
      run = at
    }
    return true
  }

  /// Throws an error, because sorted rows can be read only once.
  func rewind() throws { throw RunFailure(.internalError, "gathered rows can be read only once") }

  var progress: (done: Int, total: Int?) {
    guard let total = source.progress.total else { return (given, nil) }
    return (count == 0 ? total : total / max(1, count) * given, total)
  }

  private static func write(
    _ row: borrowing TableRow, _ order: [Int], _ failure: TableRowError?, into line: inout ByteBuffer
  ) {
    line.removeAll()
    for value in [order[0], row.number, row.offset, row.length, order[1]] {
      let number = UInt64(max(0, value))
      // Each byte has seven bits of the number and the eighth bit set, so it is never a line end.
      for shift in stride(from: UInt64(49), through: 0, by: -7) {
        line.append(UInt8(truncatingIfNeeded: number >> shift) | 0x80)
      }
    }
    if let failure { return write(failure, into: &line) }
    var empty = 0
    for cell in row.cells.indices {
      let text = row.text(cell).span
      if text.isEmpty {
        empty += 1
        if cell + 1 < row.cells.count { continue }
      }
      write(empty: empty, into: &line)
      empty = 0
      if text.isEmpty { break }
      var start = 0
      while let end = text.firstIndex(of: 0x0A, from: start) {
        line.append(text.extracting(start..<end))
        line.append(mark)
        line.append(lineEnd)
        start = end + 1
      }
      line.append(text.extracting(droppingFirst: start))
      line.append(mark)
      line.append(endOfCell)
    }
  }

  private static func write(empty count: Int, into line: inout ByteBuffer) {
    guard count > 0 else { return }
    line.append(mark)
    line.append(emptyCells)
    for shift in [14, 7, 0] { line.append(UInt8(truncatingIfNeeded: count >> shift) & 0x7F | 0x80) }
  }

  private static func write(_ failure: TableRowError, into line: inout ByteBuffer) {
    line.append(mark)
    line.append(error)
    let following = failure.following.map { $0 == .list ? 2 : 1 } ?? 0
    line.append(
      UInt8(
        0x20 + following + (failure.isBehind ? 4 : 0) + (failure.staysInList ? 8 : 0) + (failure.leavesList ? 16 : 0)))
    // Cells beyond the largest number have no place.
    let cell = UInt16(clamping: failure.cell.map { $0 + 1 } ?? 0)
    for shift in [UInt16(14), 7, 0] { line.append(UInt8(truncatingIfNeeded: cell >> shift) & 0x7F | 0x80) }
    line.append(utf8: failure.message.replacing("\n", with: " "))
  }

  private static func error(_ line: Span<UInt8>) -> TableRowError {
    guard line.count >= 4 else { return TableRowError("the row cannot be read") }
    let flags = line[0] &- 0x20
    let number = (1..<4).reduce(0) { $0 << 7 | Int(line[$1] & 0x7F) }
    let cell = number > 0 ? number - 1 : nil
    let message = String(decoding: line.extracting(droppingFirst: 4))
    let following: TableRowError.Following? = flags & 3 == 2 ? .list : flags & 3 == 1 ? .section : nil
    var error = TableRowError(message, cell: cell)
    if let following, flags & 4 != 0 {
      error = TableRowError(message, cell: cell, following: following)
    } else {
      error.following = following
    }
    error.staysInList = flags & 8 != 0
    error.leavesList = flags & 16 != 0
    return error
  }

  private static func number(_ line: Span<UInt8>, at start: Int) -> UInt64 {
    guard start + 8 <= line.count else { return 0 }
    var value: UInt64 = 0
    for index in start..<start + 8 { value = value << 7 | UInt64(line[index] & 0x7F) }
    return value
  }
}
