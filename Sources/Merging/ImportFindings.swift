import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Reports on an import in addition to its decisions: kept steps, ticks without a step, records taken as a whole, and
/// copies.
final class ImportFindings {
  /// Receives the findings.
  let log: DiagnosticLog
  /// The search for orphaned ticks; nil in a library that is being created, because nothing is ticked there yet.
  private let lostTicks: OrphanedTicks?
  /// The changes to steps of records that the library already had.
  private(set) var stepChanges = StepChangeLog()
  private var wholes = LastWriterWinsTally()

  init(_ log: DiagnosticLog, _ library: WritableLibrary) {
    self.log = log
    lostTicks = library.isNew ? nil : OrphanedTicks(library.connection)
  }

  /// Reports steps that were kept although no row has them now. They may have been in a rejected row, so nothing is
  /// deleted until that row is corrected.
  func reportKept(_ steps: [RecordOverlay.Kept], of incoming: SourceRecord) {
    guard !steps.isEmpty else { return }
    let lost = incoming.lostRows()
    // Steps from rejected rows are kept anyway and need no finding.
    let kept = steps.filter { step in
      guard let lost else { return true }
      return !lost.ids.contains(step.id) && !lost.titles.contains(step.title)
    }
    guard !kept.isEmpty else { return }
    let noun = incoming.isDeck ? "card" : "step"
    let isOne = kept.count == 1
    let names = kept.prefix(3).map { "'\(String(decoding: $0.title.prefix(200), as: UTF8.self))'" }
    let more = kept.count > names.count ? " …" : ""
    var why = "a row of it was rejected"
    if let lost {
      let number = lost.first.line.map { "row \($0)" } ?? "a row"
      let others = lost.count - 1
      why =
        others == 0
        ? "\(number) was rejected" : "\(number) and \(Plural.count(others, "other")) were rejected"
    }
    log.report(
      Diagnostic(
        .keptForRejected,
        "\(kept.count) \(noun)\(isOne ? "" : "s") that no other row of the table has (\(names.joined(separator: ", "))\(more)) "
          + "\(isOne ? "was" : "were") kept, because \(why)",
        at: incoming.place(), record: "\(incoming.isDeck ? "deck" : "checklist") \(incoming.idText)",
        title: incoming.title))
  }

  /// Counts a record that was taken as a whole from one side.
  func countWhole(_ decision: Decision, _ incoming: SourceRecord) { wholes.count(decision, incoming) }

  /// Reports findings that are known only at the end.
  func finish() { wholes.report(to: log) }

  /// Reports that an item's publication is not taken from the source.
  /// - Parameter restores: whether publication is restored and the item has no public id.
  func reportPublication(_ incoming: SourceRecord, restores: Bool, isNew: Bool) {
    let why = restores ? "it is marked as public and has no public id" : "it is published in its source"
    let here = isNew ? "it is private in this library" : "it is unchanged in this library"
    log.report(
      Diagnostic(
        restores ? .publicWithoutID : .publicationLeftOut, "\(why); \(here)", at: incoming.place(),
        record: incoming.name, title: incoming.title, severity: restores ? .warning : nil,
        fix: restores ? "publish it again if it is meant to be public" : nil))
  }

  // MARK: Steps

  /// Records the changes to the steps of an item, and reports the ticks that charters have on removed steps.
  /// - Parameters:
  ///   - before: the library's item.
  ///   - after: the item that the library will hold.
  func recordSteps(_ incoming: SourceRecord, from before: JSONNode, to after: JSONNode) throws -> StepChanges {
    guard let old = StepTree(document: before.member("content_data")),
      let new = StepTree(document: after.member("content_data")), old.hasSections == new.hasSections
    else { return StepChanges() }
    let changes = StepChanges(old, new)
    let id = after.member("id")?.string ?? ""
    stepChanges.add(changes, old, new, item: id, title: after.member("title")?.string ?? "")
    if old.hasSections { try reportTicks(changes.removed.map { old.steps[$0] }, of: id, incoming) }
    return changes
  }

  private func reportTicks(_ removed: [StepTree.Step], of checklist: String, _ incoming: SourceRecord) throws {
    if removed.isEmpty { return }
    var titles: [String: String] = [:]
    for step in removed { titles[step.id.text.uppercased()] = step.node.member("title")?.string ?? "" }
    guard let found = try lostTicks?.found(on: titles, of: checklist) else { return }
    log.report(
      Diagnostic(
        .ticksWithoutStep, found.message, at: incoming.place(), record: "\(incoming.kind.name) \(checklist)",
        title: incoming.title))
  }
}

/// Counts records that were taken as a whole from the newer side, because their base was unknown.
///
/// As a result, the library does not have content that only the other side has. The run reports this once for all
/// records.
struct LastWriterWinsTally {
  private var replaced = 0
  private var kept = 0
  private var first: (place: Place, record: String, title: String?)?

  mutating func count(_ decision: Decision, _ incoming: SourceRecord) {
    if case .update = decision { replaced += 1 } else { kept += 1 }
    if first == nil { first = (incoming.place(), "\(incoming.kind.name) \(incoming.idText)", incoming.title) }
  }

  func report(to findings: DiagnosticLog) {
    guard let first else { return }
    func records(_ count: Int) -> String { count == 1 ? "1 record was" : "\(count) records were" }
    var parts: [String] = []
    if replaced > 0 {
      parts.append("\(records(replaced)) taken as a whole because \(replaced == 1 ? "it is" : "they are") newer")
    }
    if kept > 0 {
      parts.append("\(records(kept)) kept from the library because \(kept == 1 ? "it is" : "they are") newer")
    }
    findings.report(
      Diagnostic(
        .takenWhole, parts.joined(separator: ", and ") + "; their common base is unknown",
        at: first.place, record: first.record, title: first.title))
  }
}

/// Finds the ticks and notes that charters have on steps that an import removes from a checklist.
///
/// These ticks and notes are kept, but no step shows them any more (LIB0703). Without a finding, the loss would be
/// silent. Only checklists that lose steps are examined. An index of the app finds their executions.
final class OrphanedTicks {
  /// The ticks and notes of one checklist that the app does not show any more.
  struct Found {
    /// The first examples: a step's title, the charter's mark on the step, and the charter's name.
    var examples: [(step: String, mark: String, charter: String)] = []
    /// The number of marks.
    var count = 0
    var steps = Set<String>()
    var charters = Set<String>()
  }

  private static let mostExamples = 3

  private let connection: SQLiteConnection
  private lazy var query = Result { () throws(SQLiteError) in
    try connection.prepare(
      """
      SELECT charterID, coalesce((SELECT name FROM charters WHERE charters.id = charterID), ''), itemStates
      FROM checklistExecutionStates WHERE checklistID IN (?1, ?2) ORDER BY charterID
      """)
  }

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Looks up the marks that charters have on steps of a checklist.
  /// - Parameters:
  ///   - checklist: the checklist's id in the library.
  ///   - steps: the titles of the removed steps, by their ids in upper case.
  /// - Returns: nil if there are no marks.
  func found(on steps: [String: String], of checklist: String) throws(SQLiteError) -> Found? {
    let query = try query.get()
    query.bind(checklist, at: 1)
    query.bind(checklist.lowercased(), at: 2)
    defer { query.reset() }
    var found = Found()
    while try query.step() {
      let charter = query.text(at: 0) ?? ""
      let name = query.text(at: 1) ?? ""
      // If a value is not JSON, the app shows no ticks from it.
      guard let states = try? JSONDocument(parsing: query.bytes(at: 2).span) else { continue }
      for (key, state) in states.root.members {
        let id = key.uppercased()
        guard let title = steps[id], let mark = Self.mark(state) else { continue }
        found.count += 1
        found.steps.insert(id)
        found.charters.insert(charter)
        if found.examples.count < Self.mostExamples {
          found.examples.append((title, mark, name.isEmpty ? charter : name))
        }
      }
    }
    return found.count == 0 ? nil : found
  }

  /// Returns the mark on a step; nil if a tick was removed again.
  private static func mark(_ state: JSONValue) -> String? {
    let isTicked = state["checked"]?.bool ?? false
    let hasNotes = !(state["notes"]?.string ?? "").utf8.isEmpty
    if isTicked { return hasNotes ? "a tick and a note" : "a tick" }
    return hasNotes ? "a note" : nil
  }
}

extension OrphanedTicks.Found {
  /// The message of a finding.
  var message: String {
    guard count > 1 else {
      return examples.map { "the step '\($0.step)' is removed, but the charter '\($0.charter)' has \($0.mark) on it" }
        .joined()
    }
    let some = examples.map { "'\($0.step)' has \($0.mark) in '\($0.charter)'" }.joined(separator: ", ")
    let more = count > examples.count ? ", and \(count - examples.count) more" : ""
    return "\(steps.count) step\(steps.count == 1 ? " is" : "s are") removed with ticks or notes in "
      + "\(Plural.count(charters.count, "charter")): \(some)\(more)"
  }
}
