import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import SQLiteIO
import SQLiteLibrary

/// The work of one run inside its transactions: checks every selected item, writes its operation, and prepares the
/// commit.
final class EnqueueWork {
  private let request: EnqueueRun
  private let library: WritableLibrary
  private let store: StateStore
  private let run: Int64
  private let locator: any RecordLocator
  private let lookup: LibraryLookup
  private let enqueuer: ItemEnqueuer
  private let shelves: (library: LibraryItemStore, deck: DeckItemStore)
  private var renamed: RenamedItem?
  /// Whether exactly one item is selected.
  private var isAlone = false
  /// Whether library rows were written.
  private(set) var touchesLibrary = false

  init(_ request: EnqueueRun, _ library: WritableLibrary, _ store: StateStore, run: Int64) throws {
    self.request = request
    self.library = library
    self.store = store
    self.run = run
    locator = LibraryLocator.places(in: request.path, called: request.name)
    lookup = try LibraryLookup(library)
    enqueuer = try ItemEnqueuer(
      request.request, library.connection, store: store, account: request.account, now: request.now,
      digits: request.digits)
    shelves = (try LibraryItemStore(library, now: request.now), try DeckItemStore(store, run: run))
  }

  /// Checks every selected item and writes its outcome.
  func enqueue() throws -> EnqueueReport {
    var report = EnqueueReport(
      verb: request.request.verb, library: request.name, isDryRun: request.isDryRun)
    var selection = request.selection ?? Selection()
    selection.kinds = [.item]
    let selected = try SelectedItems(
      library, store, file: request.name, locator: locator, selection: selection, ids: request.ids)
    if selected.items.isEmpty { try refuseTitleAsSelector(selection) }
    try selected.demand(selection, doing: doing, list: list)
    if request.request.title != nil, selected.items.count > 1 {
      throw RunFailure(
        .usage, "\(doing): --set-title applies to one item, but \(selected.items.count) are selected",
        advice: "Select the item with --id.")
    }
    isAlone = selected.items.count == 1
    report.isBound = enqueuer.isBound
    let forks = ForkAdvice(try LibraryLookup(library))
    for (index, item) in selected.items.enumerated() {
      try Interruption.check()
      request.onProgress?(index, selected.items.count)
      try enqueue(item, forks, &report)
    }
    return report
  }

  /// Advice that shows how to list the items.
  private var list: String {
    let library = TerminalEscaping.shellQuoted(request.name)
    let list = "'fleetkit list \(library)' lists its items."
    guard request.request.isWithdrawal else { return list }
    return list + " To unpublish a deleted item, restore it first: 'fleetkit pull \(library) --all-mine'."
  }

  private var doing: String { "\(request.request.verb) in '\(request.name)'" }

  /// Refuses `--title` together with `--id` if they match no item: the user may have meant to give the item a new
  /// title.
  private func refuseTitleAsSelector(_ selection: Selection) throws {
    guard let id = selection.ids.first, selection.ids.count == 1, let title = selection.titles.first,
      selection.titles.count == 1, !title.contains(where: { $0 == "*" || $0 == "?" })
    else { return }
    var byID = selection
    byID.titles = []
    let named = try SelectedItems(
      library, store, file: request.name, locator: locator, selection: byID, ids: request.ids)
    guard named.items.count == 1 else { return }
    let command =
      "fleetkit \(request.request.verb) \(TerminalEscaping.shellQuoted(request.name)) --id \(id) --set-title "
      + TerminalEscaping.shellQuoted(title)
    throw RunFailure(
      .usage, "\(doing): --title selects items by title, but the item with --id \(id) is not titled '\(title)'",
      advice: request.request.isWithdrawal ? nil : "To give it another title: \(command)")
  }

  private func enqueue(_ selected: SelectedItems.Item, _ forks: ForkAdvice, _ report: inout EnqueueReport) throws {
    guard var line = try line(of: selected) else { return }
    let parsed = try JSONDocument(parsing: line.span)
    var item = parsed.withRoot { root in root.withItem(line) }
    var oldTitle: String?
    if let title = request.request.title, title != item.title {
      oldTitle = item.title
      line = parsed.withRoot { RetitledItem.line($0, title: title, now: request.now) }
      item.title = title
      item.line = line
    }
    let decision: ItemEnqueuer.Decision
    // A withdrawal needs only the item's row: an operation whose item is missing is never sent.
    let isFit =
      selected.damage.isEmpty
      || request.request.isWithdrawal && !selected.damage.contains { $0.code == .bodyWithoutMetadata }
    if isFit {
      let batch = RecordBatch(locator: locator, capacity: line.count + 64)
      batch.canonical.append(line.span)
      batch.appendSlot(.item, from: 0)
      let shelf: any ItemStore = selected.isDeck ? shelves.deck : shelves.library
      decision = try enqueuer.enqueue(item, Record(batch: batch, index: 0), on: shelf, oldTitle: oldTitle)
    } else {
      decision = ItemEnqueuer.Decision(outcome: .refused, findings: selected.damage)
    }
    try demandEffect(of: decision, on: item, oldTitle: oldTitle)
    if request.request.takesChangedOnly, case .skipped(.notPublic, _) = decision.outcome { return }
    var advice: String?
    if case .publish = request.request, case .queued = decision.outcome { advice = try forks.advice(on: item) }
    var entry = EnqueueReport.Entry(
      id: item.id, title: item.title, contentType: item.contentType, publicID: decision.publicID,
      outcome: decision.outcome, note: advice)
    if case .queued = decision.outcome { entry.oldTitle = oldTitle }
    if request.isDryRun, decision.hasNewSlug {
      entry.slugStart = decision.publicID.map { String($0.dropLast(PublicSlug.digits)) }
      entry.publicID = nil
    }
    if let note = adviceOnCopies(decision, item) { entry.note = note }
    report.entries.append(entry)
    report.findings += decision.findings.map { request.sourcePlaces?.placed($0, of: item.id) ?? $0 }
    if let old = entry.oldTitle { renamed = RenamedItem(id: item.id, from: old, to: item.title) }
    switch decision.outcome {
    case .queued, .cancelled: touchesLibrary = touchesLibrary || !selected.isDeck
    case .skipped, .refused: break
    }
  }

  /// Checks that the options `--set-title` and `--no-fork` have an effect on an item, and otherwise throws with the
  /// reason.
  private func demandEffect(of decision: ItemEnqueuer.Decision, on item: EnqueuedItem, oldTitle: String?) throws {
    guard case .skipped(let reason, let words) = decision.outcome else { return }
    let library = TerminalEscaping.shellQuoted(request.name)
    if let oldTitle {
      let quoted = TerminalEscaping.shellQuoted(item.title)
      let advice: String? =
        switch reason {
        case .alreadyPublished, .alreadyQueued:
          "To rename it and queue an update: fleetkit update \(library) --id \(item.id) --set-title \(quoted)"
        case .notPublic:
          "To rename it and publish it: fleetkit publish \(library) --id \(item.id) --set-title \(quoted)"
        default: nil
        }
      throw RunFailure(.refused, "\(doing): '\(oldTitle)' keeps its title: \(words)", advice: advice)
    }
    if isAlone, adviceOnCopies(decision, item) != nil {
      throw RunFailure(
        .refused, "\(doing): --no-fork has no effect on '\(item.title)': \(words)", advice: Self.copiesAdvice)
    }
  }

  private static let copiesAdvice = "Permission to copy is set on publication; to change it, unpublish the item."

  private func adviceOnCopies(_ decision: ItemEnqueuer.Decision, _ item: EnqueuedItem) -> String? {
    guard request.request.forbidsCopies, item.canFork != false, case .skipped = decision.outcome else { return nil }
    return "others may still copy it. " + Self.copiesAdvice
  }

  private func line(of selected: SelectedItems.Item) throws -> [UInt8]? {
    if selected.isDeck {
      let select = try store.connection.prepare("SELECT line FROM records WHERE kind = 'item' AND id = ?")
      select.bind(selected.id, at: 1)
      return try select.step() ? Array(select.blob(at: 0)) : nil
    }
    return try record(selected.id)
  }

  private func record(_ id: String) throws(SQLiteError) -> [UInt8]? {
    let bytes = Array(id.utf8)
    return try bytes.withUnsafeBufferPointer { id throws(SQLiteError) in
      try lookup.record(.item, id: id.span).map { Array($0) }
    }
  }

  // MARK: The commit

  /// Records on disk the changes that are about to be made to the library. If there are none, this completes the run.
  func intend(_ report: EnqueueReport) throws {
    for id in enqueuer.forgotten {
      _ = try store.connection.rows("UPDATE publications SET digest = NULL WHERE content_id = ?", [id])
    }
    for row in shelves.library.changed { try CommitProbe(of: row, library.connection).write(run, store) }
    let detail = renamed.map(\.detail)
    let counts =
      "{\"changed\":\(report.queued + report.cancelled),\"queued\":\(report.queued),\"cancelled\":\(report.cancelled)}"
    try store.intend(run, detail: detail, counts: counts)
    if !touchesLibrary { try store.finish(run) }
    try store.connection.execute("COMMIT", as: "write the ledger")
  }
}

extension JSONNode {
  /// Returns the item with a given canonical record.
  fileprivate func withItem(_ line: [UInt8]) -> EnqueuedItem {
    line.withUnsafeBufferPointer { EnqueuedItem(self, line: $0) }
  }
}

/// The selected items of a library: their ids, and the findings made while they were read.
///
/// Memory grows with the selection, not with the library.
struct SelectedItems {
  /// A selected item.
  struct Item {
    let id: String
    let isDeck: Bool
    /// Damage in the item's rows that prevents a check.
    let damage: [Diagnostic]
  }

  private(set) var items: [Item] = []

  /// Reads the selected items.
  /// - Parameters:
  ///   - selection: the selection, which covers only items.
  ///   - ids: restricts the selection to these ids, in upper case; nil for the whole selection.
  init(
    _ library: WritableLibrary, _ store: StateStore, file: String, locator: any RecordLocator, selection: Selection,
    ids: Set<String>?
  ) throws {
    try LibraryScan(library.connection, library.schema, file: file).items { found in
      guard let id = RecordLine.id(of: found.line.span), ids?.contains(id) ?? true else { return }
      guard try Self.isSelected(found.line, selection, locator) else { return }
      var damage = found.findings.filter { $0.severity == .error }
      if let row = found.rows.first, row.id != id {
        damage.append(
          Diagnostic(
            .idCase, "the app cannot find the id \"\(row.id)\"",
            at: Place(file: file, row: Place.Row(table: row.table, id: row.id, column: "id")), record: "item \(id)",
            severity: .error, fix: "run 'fleetkit doctor --repair'"))
      }
      items.append(Item(id: id, isDeck: false, damage: damage))
    }
    let decks = try store.connection.prepare("SELECT id, line FROM records WHERE kind = 'item' ORDER BY id")
    while try decks.step() {
      let id = decks.text(at: 0) ?? ""
      guard ids?.contains(id) ?? true, try Self.isSelected(decks.blob(at: 1), selection, locator) else { continue }
      items.append(Item(id: id, isDeck: true, damage: []))
    }
  }

  /// Checks that every given id identifies exactly one item: an item that was not named must not be published, and a
  /// missing item must not go unnoticed.
  /// - Parameters:
  ///   - doing: the beginning of error messages.
  ///   - list: advice that shows how to list the items.
  /// - Throws: `RunFailure`: 2 if nothing is selected, or an id matches no item; 64 if an id matches several.
  fileprivate func demand(_ selection: Selection, doing: String, list: String) throws {
    for word in selection.ids {
      let begin = word.uppercased()
      let found = items.count { $0.id.uppercased().hasPrefix(begin) }
      if found == 0 {
        throw RunFailure(.failed, "\(doing): no item matches --id \(word); nothing was done", advice: list)
      }
      if found > 1 {
        throw RunFailure(
          .usage, "\(doing): \(found) ids begin with '\(word)'", advice: "Give more of the id. \(list)")
      }
    }
    if items.isEmpty { throw RunFailure(.failed, "\(doing): no item matches the selection", advice: list) }
  }

  private static func isSelected(
    _ line: UnsafeBufferPointer<UInt8>, _ selection: Selection, _ locator: any RecordLocator
  ) throws -> Bool {
    try Interruption.check()
    if selection.isEmpty { return true }
    let batch = RecordBatch(locator: locator, capacity: line.count + 64)
    batch.canonical.append(line.span)
    batch.appendSlot(.item, from: 0)
    return batch.records.allSatisfy(selection.takes)
  }
}

/// Gives a canonical item a new title: in the envelope, and also in the document if the two titles were equal.
enum RetitledItem {
  /// Returns the item's new canonical line.
  /// - Parameter now: the time of the change.
  static func line(_ node: JSONNode, title: String, now: Timestamp) -> [UInt8] {
    var out = ByteBuffer(capacity: node.raw.count + title.utf8.count + 64)
    let old = node.member("title")?.string ?? ""
    write(node, old: old, title: title, now: now, isDocument: false, into: &out)
    return Array(out.bytes)
  }

  private static func write(
    _ node: JSONNode, old: String, title: String, now: Timestamp, isDocument: Bool, into out: inout ByteBuffer
  ) {
    let follows = !isDocument || node.member("title")?.string == old
    var separator = UInt8(ascii: "{")
    node.forEachMember { name, value in
      out.append(separator)
      separator = UInt8(ascii: ",")
      out.append(name.raw.span)
      out.append(":")
      if name.equals("title"), follows {
        out.appendJSONString(title)
      } else if name.equals(isDocument ? "updatedAt" : "updated_at"), follows {
        out.appendJSONDate(now)
      } else if name.equals("content_data"), value.kind == .object, !isDocument {
        write(value, old: old, title: title, now: now, isDocument: true, into: &out)
      } else {
        out.append(value.raw.span)
      }
    }
    out.append("}")
  }
}

/// Advice on a copy's title before the copy is published: readers should be able to distinguish it from the original.
struct ForkAdvice {
  private let lookup: LibraryLookup

  init(_ lookup: LibraryLookup) { self.lookup = lookup }

  /// The suffix that the title of a changed copy should have.
  static let mark = "[Modified]"

  /// Returns the advice for an item; nil if there is no advice.
  func advice(on item: EnqueuedItem) throws -> String? {
    guard let original = item.forkedFromID, !item.title.contains(Self.mark) else { return nil }
    let suggestion = "--set-title \(TerminalEscaping.shellQuoted("\(item.title) \(Self.mark)")) would make that clear"
    var id = Array(original.utf8)
    let other = try id.withUnsafeMutableBufferPointer { id in
      try lookup.record(.item, id: UnsafeBufferPointer(id).span).map { Array($0) }
    }
    guard let other else { return "it is a copy of another person's item; if you changed it, \(suggestion)" }
    let hasSameTitle = try title(of: other) == item.title
    if hasSameTitle { return "it has the same title as its original; \(suggestion)" }
    let isSame = try ContentHash.bytes(of: other.span) == content(item)
    return isSame ? nil : "it is a changed copy; \(suggestion)"
  }

  private func content(_ item: EnqueuedItem) throws -> [UInt8] {
    try ContentHash.bytes(of: item.line.span)
  }

  private func title(of line: [UInt8]) throws -> String? {
    try JSONDocument(parsing: line.span).root["title"]?.string
  }
}
