import Diagnostics
import JSONText
import SQLiteIO

/// Finds ticks and notes of charters that belong to steps which an import takes out of a checklist.
///
/// They stay where they are, and no step shows them any more (LIB0703): what nobody is told of would be lost silently.
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

  /// What somebody left on a step; nil for a box that was opened again.
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
      + "\(charters.count) charter\(charters.count == 1 ? "" : "s"): \(some)\(more)"
  }
}

extension LibraryImportWriter {
  /// Reports ticks and notes of charters on steps that go.
  func noteLostTicks(_ removed: [StepTree.Step], of checklist: String, _ incoming: Incoming) throws {
    if removed.isEmpty || library.isNew { return }
    var titles: [String: String] = [:]
    for step in removed { titles[step.id.text.uppercased()] = step.node.member("title")?.string ?? "" }
    guard let found = try lostTicks.found(on: titles, of: checklist) else { return }
    context.findings.report(
      Diagnostic(
        .ticksWithoutStep, found.message, at: incoming.place(), record: "\(incoming.kind.name) \(checklist)",
        title: incoming.title))
  }
}
