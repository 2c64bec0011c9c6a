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
  /// Whether the next row may belong to an item that lacks a lost row.
  private var nextIsPartial = false
  /// The last of the rows that this item may lack.
  private var nextLost: BatchRows.Lost?
  /// The title of the group in its rows and in its item. It is cached at the first request, because it may have
  /// megabytes and each rejected row names it.
  private var titles: (written: String?, read: String?) = (nil, nil)

  /// Examines all rows, then prepares to read them.
  /// - Parameter header: the number of rows above the header.
  /// - Throws: `RunFailure` if the source cannot be read.
  init(
    _ rows: TableBody, _ facts: TableContext, scope: TableScope, header: Int, findings: DiagnosticLog,
    memory: BatchMemory, retry: RetryOrigin? = nil
  ) throws {
    let survey = try TableGrouping(rows, facts.layout, header: header, retry: retry)
    var facts = facts
    facts.layout.keepsMinutes = survey.keepsMinutes
    self.facts = facts
    self.memory = memory
    reports = RowReporter(facts: facts, findings: findings)
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
      let outcome = builder.take(row)
      if !builder.problems.isEmpty { report(outcome, after: before, batch) }
      if builder.size > Self.largestItem { throw tooLarge() }
    }
    locator.settle(rows)
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
    reports.report(
      builder.problems, of: place, record: "\(noun) \(builder.ids.list.text)",
      title: builderTitle())
    guard outcome == .rejected else { return }
    append(
      reports.reject(builder.problems, of: place, after: after.map { .behind($0.text) } ?? .first, above: above()),
      to: batch)
  }

  private func builderTitle() -> String {
    if let title = titles.read, title.utf8.count == builder.group.title.count { return title }
    let title = String(decoding: builder.group.title.bytes, as: UTF8.self)
    titles.read = title
    return title
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
    func isBlank(_ cell: Int?) -> Bool { cell.map { CellScanner.trimmed(row.text($0)).isEmpty } ?? true }
    func add(_ name: String, _ text: UnsafeBufferPointer<UInt8>, _ cell: Int?) {
      if cell != nil, !text.isEmpty { above[name] = String(decoding: text, as: UTF8.self) }
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
      add(id.rawValue, tracker.id.bytes, layout.cells[id])
      add("key", tracker.key.bytes, key)
    }
    if following == nil, isBlank(layout.cells[.section]), isBlank(layout.cells[.sectionID]) {
      add(TableColumn.section.rawValue, builder.sections.lastTitle.bytes, layout.cells[.section])
      add(TableColumn.sectionID.rawValue, builder.sections.lastID.bytes, layout.cells[.sectionID])
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
