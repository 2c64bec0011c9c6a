import FleetKit
import Foundation
import TestSupport
import Testing

/// A checklist that two people edit: one in the app, one in a bundle.
struct SharedList: Equatable {
  struct Step: Equatable {
    var id: String
    var title: String
    var text: String?
  }

  static let id = "11111111-1111-4111-8111-111111111111"

  var id = SharedList.id
  var section = "BBBBBBBB-0000-4000-8000-000000000001"
  var title = "Leaving the berth"
  var steps: [Step] = []
  /// The time of the last change; nil for a source without times.
  var updated: String?

  /// Creates a list whose steps have their own ids.
  static func of(_ titles: String..., updated: String? = "2026-02-01T00:00:00.000Z") -> SharedList {
    SharedList(
      steps: titles.enumerated().map { Step(id: step($0 + 1), title: $1, text: nil) }, updated: updated)
  }

  static func step(_ number: Int) -> String { String(format: "AAAAAAAA-0000-4000-8000-%012X", number) }

  subscript(number: Int) -> Step {
    get { steps.first { $0.id == Self.step(number) } ?? Step(id: "", title: "", text: nil) }
    set {
      for index in steps.indices where steps[index].id == Self.step(number) { steps[index] = newValue }
    }
  }

  mutating func remove(_ number: Int) { steps.removeAll { $0.id == Self.step(number) } }

  /// The array of sections as the app stores it.
  var sections: String {
    let items = steps.enumerated().map { index, step in
      let text = step.text.map { ",\"itemDescription\":\(Self.json($0))" } ?? ""
      return """
        {"id":"\(step.id)","title":\(Self.json(step.title))\(text),"isOptional":false,"isRequired":false,"tags":[],\
        "sortOrder":\(index)}
        """
    }
    return """
      [{"id":"\(section)","title":"A","items":[\(items.joined(separator: ","))],\
      "isExpandedByDefault":true,"sortOrder":0}]
      """
  }

  /// The list as a line of a bundle.
  var line: String {
    let times = updated.map { ",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"\($0)\"" } ?? ""
    return """
      {"id":"\(id)","content_type":"checklist","title":\(Self.json(title))\(times),"content_data":{"sections":\
      \(sections)}}

      """
  }

  private static func json(_ text: String) -> String {
    "\""
      + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      .replacing("\u{1B}", with: "\\u001b") + "\""
  }

  // MARK: In a library

  /// Writes the list into the library as the app would right after an import.
  func put(into library: String, at time: String = "2026-05-28 20:26:40.000") throws {
    func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
    try SQLiteShell.run(
      library,
      """
      UPDATE checklists SET content = \(quoted(sections)), title = \(quoted(title)), updatedAt = '\(time)',
        syncStatus = 'synced' WHERE id = '\(id)';
      UPDATE library_content SET title = \(quoted(title)), updatedAt = '\(time)', syncStatus = 'synced'
        WHERE id = '\(id)';
      """)
  }

  /// Reads the library's version of a list.
  static func read(_ library: String, _ id: String = SharedList.id) throws -> SharedList {
    let text = try SQLiteShell.run(library, "SELECT title FROM library_content WHERE id = '\(id)';")
    let content = try SQLiteShell.run(library, "SELECT content FROM checklists WHERE id = '\(id)';")
    let root = try JSONDocument(parsing: content.trimmingCharacters(in: .newlines)).root
    let steps = root.elements.flatMap { $0["items"]?.elements ?? [] }.map {
      Step(id: $0["id"]?.string ?? "", title: $0["title"]?.string ?? "", text: $0["itemDescription"]?.string)
    }
    let section = root.elements.first?["id"]?.string ?? ""
    return SharedList(id: id, section: section, title: String(text.dropLast()), steps: steps, updated: nil)
  }

  /// The list without its time.
  var untimed: SharedList {
    var list = self
    list.updated = nil
    return list
  }
}

/// A library and a bundle that is repeatedly imported into it.
struct Bench {
  let scratch = Scratch()
  var library: String { scratch["boat/library.sqlite"] }
  var source: String { scratch["source.jsonl"] }

  init() throws {
    try FileManager.default.createDirectory(atPath: scratch["boat"], withIntermediateDirectories: true)
  }

  /// Imports lists, preceded by the given lines.
  @discardableResult
  func add(
    _ lists: SharedList..., more: String = "", onConflict: OnConflict = .merge,
    settling: ConflictResolution = .reject, now: Int64 = 1_780_000_000_000
  ) throws -> LibraryImport.Report {
    _ = try scratch.write("source.jsonl", more + lists.map(\.line).joined())
    var job = LibraryImport(sources: try SourceList([source]), library: library)
    job.createsLibrary = true
    job.onConflict = onConflict
    job.settling = settling
    let report = try job.run(context: RunContext(now: Timestamp(milliseconds: now)))
    #expect(report.summary.tally.balances)
    return report
  }

  func list() throws -> SharedList { try SharedList.read(library) }

  @discardableResult
  func sql(_ statement: String) throws -> String { try SQLiteShell.run(library, statement) }
  @discardableResult
  func state(_ statement: String) throws -> String {
    try SQLiteShell.run(library + ".fleetkit/state.sqlite", statement)
  }

  func command(_ arguments: String...) throws -> Answer {
    try Shell.run(Paths.command, ["import", source, "--into", library] + arguments)
  }
}
