import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// What an import reports beyond its decisions: what was kept, lost from sight, taken whole, or is a copy.
final class ImportFindings {
  /// Where findings go.
  let log: DiagnosticLog
  /// Nil in a library that is being made: nothing is ticked there yet.
  private let lostTicks: LostTicks?
  /// What changed among the steps of records that the library had.
  private(set) var stepChanges = StepChangeLog()
  private var wholes = WholeRecords()

  init(_ log: DiagnosticLog, _ library: WritableLibrary) {
    self.log = log
    lostTicks = library.isNew ? nil : LostTicks(library.connection)
  }

  /// Reports which steps were kept although no row has them any more: a row that was rejected may have been theirs, so
  /// nothing goes, and deletions wait.
  func reportKept(_ steps: [RecordOverlay.Kept], of incoming: Incoming) {
    guard !steps.isEmpty else { return }
    let lost = incoming.lostRows()
    // What a rejected row contains stays: no finding is needed.
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

  /// Takes note of a record of which one side was taken whole.
  func noteWhole(_ decision: Decision, _ incoming: Incoming) { wholes.note(decision, incoming) }

  /// Reports what is known at the end only.
  func finish() { wholes.report(to: log) }

  /// Reports that an item's publication is not taken from the source.
  /// - Parameter restores: whether publication is restored, and the item has no public id.
  func reportPublication(_ incoming: Incoming, restores: Bool, isNew: Bool) {
    let why = restores ? "it is marked as public and has no public id" : "it is published where it comes from"
    let here = isNew ? "here it is private" : "here it stays as it is"
    log.report(
      Diagnostic(
        restores ? .publicWithoutID : .publicationLeftOut, "\(why); \(here)", at: incoming.place(),
        record: incoming.name, title: incoming.title, severity: restores ? .warning : nil,
        fix: restores ? "publish it again if it is meant to be public" : nil))
  }

  // MARK: Steps

  /// Takes note of what changes among the steps of an item, and reports ticks of charters on steps that go.
  /// - Parameters:
  ///   - before: the library's item.
  ///   - after: what the library will hold.
  func noteSteps(_ incoming: Incoming, from before: JSONNode, to after: JSONNode) throws -> StepChanges {
    guard let old = StepTree(document: before.member("content_data")),
      let new = StepTree(document: after.member("content_data")), old.hasSections == new.hasSections
    else { return StepChanges() }
    let changes = StepChanges(old, new)
    let id = after.member("id")?.string ?? ""
    stepChanges.add(changes, old, new, item: id, title: after.member("title")?.string ?? "")
    if old.hasSections { try reportTicks(changes.removed.map { old.steps[$0] }, of: id, incoming) }
    return changes
  }

  private func reportTicks(_ removed: [StepTree.Step], of checklist: String, _ incoming: Incoming) throws {
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

/// Counts records of which one side was taken whole because it is newer, and it was unknown what both come from.
///
/// What only the other side says is not in the library then: the run says so once, whatever their number.
struct WholeRecords {
  private var replaced = 0
  private var kept = 0
  private var first: (place: Place, record: String, title: String?)?

  mutating func note(_ decision: Decision, _ incoming: Incoming) {
    if case .update = decision { replaced += 1 } else { kept += 1 }
    if first == nil { first = (incoming.place(), "\(incoming.kind.name) \(incoming.idText)", incoming.title) }
  }

  func report(to findings: DiagnosticLog) {
    guard let first else { return }
    func records(_ count: Int) -> String { count == 1 ? "1 record was" : "\(count) records were" }
    var parts: [String] = []
    if replaced > 0 {
      parts.append("\(records(replaced)) taken whole because \(replaced == 1 ? "it is" : "they are") newer")
    }
    if kept > 0 {
      parts.append("\(records(kept)) left as the library has \(kept == 1 ? "it" : "them"), which is newer")
    }
    findings.report(
      Diagnostic(
        .takenWhole, parts.joined(separator: ", and ") + ": nobody remembers what both come from",
        at: first.place, record: first.record, title: first.title))
  }
}

/// Finds ticks and notes of charters that belong to steps which an import takes out of a checklist.
///
/// They stay where they are, and no step shows them any more (LIB0703): without a report they would be lost silently.
/// Asked only for checklists that lose steps; an index of the app leads to their executions.
final class LostTicks {
  /// What is lost from sight of one checklist.
  struct Found {
    /// The first ones: a step's title, what the charter has of it, and the charter's name.
    var examples: [(step: String, mark: String, charter: String)] = []
    /// How many there are.
    var count = 0
    var steps = Set<String>()
    var charters = Set<String>()
  }

  private static let mostExamples = 3

  private let connection: SQLiteConnection
  private lazy var look = Result { () throws(SQLiteError) in
    try connection.prepare(
      """
      SELECT charterID, coalesce((SELECT name FROM charters WHERE charters.id = charterID), ''), itemStates
      FROM checklistExecutionStates WHERE checklistID IN (?1, ?2) ORDER BY charterID
      """)
  }

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Looks up what charters have on steps of a checklist.
  /// - Parameters:
  ///   - checklist: its id in the library.
  ///   - steps: titles of the steps that go, by their ids in upper case.
  /// - Returns: nil when there is nothing.
  func found(on steps: [String: String], of checklist: String) throws(SQLiteError) -> Found? {
    let look = try look.get()
    look.bind(checklist, at: 1)
    look.bind(checklist.lowercased(), at: 2)
    defer { look.reset() }
    var found = Found()
    while try look.step() {
      let charter = look.text(at: 0) ?? ""
      let name = look.text(at: 1) ?? ""
      // What is no JSON has no ticks that the app shows.
      guard let states = try? JSONDocument(parsing: look.bytes(at: 2)) else { continue }
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

  /// What was left on a step; nil for a box that was opened again.
  private static func mark(_ state: JSONValue) -> String? {
    let isTicked = state["checked"]?.bool ?? false
    let hasNotes = !(state["notes"]?.string ?? "").utf8.isEmpty
    if isTicked { return hasNotes ? "a tick and a note" : "a tick" }
    return hasNotes ? "a note" : nil
  }
}

extension LostTicks.Found {
  /// Says it in a sentence.
  var message: String {
    guard count > 1 else {
      return examples.map { "the step '\($0.step)' goes, and the charter '\($0.charter)' has \($0.mark) on it" }
        .joined()
    }
    let some = examples.map { "'\($0.step)' has \($0.mark) in '\($0.charter)'" }.joined(separator: ", ")
    let more = count > examples.count ? ", and \(count - examples.count) more" : ""
    return "\(steps.count) step\(steps.count == 1 ? " goes that has" : "s go that have") ticks or notes in "
      + "\(Plural.count(charters.count, "charter")): \(some)\(more)"
  }
}
