import Foundation
import JSONText
import TestSupport

/// Two libraries of one account and the registry between them.
final class TwoDevices {
  let registry: LocalRegistry
  let folder = Scratch()
  let environment: [String: String]
  var a: String { folder["a.sqlite"] }
  var b: String { folder["b.sqlite"] }

  static let checklist = "0D0939BC-A71B-49F8-B06C-C047F24F4730"
  static let step = "9BEB7D63-6A10-48FC-A9A8-7A1840258EA8"
  static let otherStep = "05C93E90-6D64-46F4-9598-F0A05556A1AD"

  static let items = """
    {"kind":"charter","id":"7D0939BC-A71B-49F8-B06C-C047F24F4730","name":"Ionian","start_date":"2026-05-01T00:00:00Z",\
    "end_date":"2026-05-08T00:00:00Z","created_at":"2026-01-05T10:11:12.345Z","updated_at":"2026-01-06T10:11:12.345Z"}
    {"kind":"item","id":"\(checklist)","content_type":"checklist","title":"Fire on board","description":"What to do.",\
    "tags":["safety"],"created_at":"2026-01-05T10:11:12.345Z","updated_at":"2026-01-06T10:11:12.345Z",\
    "content_data":{"sections":[{"id":"29DF9536-C7E3-4EDF-8007-AC38EAAA33D1","title":"Below","items":[\
    {"id":"\(step)","title":"Shut the fuel"},{"id":"\(otherStep)","title":"Call for help"}]}]}}
    {"kind":"item","id":"4D0939BC-A71B-49F8-B06C-C047F24F4730","content_type":"flashcard_deck","title":"Lights",\
    "description":"What they mean.","created_at":"2026-01-05T10:11:12.345Z","updated_at":"2026-01-06T10:11:12.345Z",\
    "content_data":{"cards":[{"id":"1A0939BC-A71B-49F8-B06C-C047F24F4730","front":"Red?","back":"Port."},\
    {"id":"2A0939BC-A71B-49F8-B06C-C047F24F4730","front":"Green?","back":"Starboard."}]}}
    {"kind":"execution","id":"8D0939BC-A71B-49F8-B06C-C047F24F4730","checklist_id":"\(checklist)",\
    "charter_id":"7D0939BC-A71B-49F8-B06C-C047F24F4730","item_states":{"\(step)":{"checked":true}},\
    "created_at":"2026-01-05T10:11:12.345Z","last_updated":"2026-01-06T10:11:12.345Z"}

    """

  init(email: String = "captain@example.com") throws {
    registry = try LocalRegistry()
    environment = try registry.environment(email)
    let source = try folder.write("items.jsonl", Self.items)
    try fleetkit("import", source, "--into", a, "--create")
    try fleetkit("convert", try folder.write("none.json", "[]"), "--to", b)
  }

  struct Complaint: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs the command, and records an issue if its status is not the expected one.
  @discardableResult
  func fleetkit(_ arguments: String..., status: Int32 = 0) throws -> Answer {
    let answer = try Shell.run(Paths.command, arguments, environment: environment)
    guard answer.status == status else {
      throw Complaint(
        description: "\(arguments.joined(separator: " ")) ended with \(answer.status): \(answer.errors)\(answer.output)"
      )
    }
    return answer
  }

  /// Publishes everything on the first device and pulls it to the second.
  func share() throws {
    try fleetkit("publish", a, "--all", "--yes")
    try sync(a)
    try pull(b, "--all-mine")
  }

  @discardableResult
  func sync(_ library: String) throws -> Answer { try fleetkit("sync", library, "--registry", registry.url) }

  @discardableResult
  func pull(_ library: String, _ more: String..., status: Int32 = 0) throws -> JSONValue {
    let answer = try Shell.run(
      Paths.command, ["pull", library, "--registry", registry.url, "--json"] + more, environment: environment)
    guard answer.status == status else {
      throw Complaint(description: "pull ended with \(answer.status): \(answer.errors)\(answer.output)")
    }
    return try JSONDocument(parsing: answer.output).root
  }

  /// Returns the outcome of an item in a report, by title.
  static func outcome(_ report: JSONValue, _ title: String = "Fire on board") -> String? {
    report["items"]?.elements.first { $0["title"]?.string == title }?["outcome"]?.string
  }

  /// Returns a complete item of a library.
  func item(_ library: String, _ title: String = "Fire on board") throws -> JSONValue? {
    let answer = try fleetkit("export", library, "--to", "-", "--to-format", "jsonl", "-q")
    for line in answer.output.split(separator: "\n") where line.hasPrefix("{\"kind\":\"item\"") {
      let root = try JSONDocument(parsing: String(line)).root
      if root["title"]?.string == title { return root }
    }
    return nil
  }

  /// Returns the titles of a checklist's steps, or the fronts of a deck's cards.
  func steps(_ library: String, _ title: String = "Fire on board") throws -> [String] {
    let document = try item(library, title)?["content_data"]
    let lists = document?["sections"]?.elements.flatMap { $0["items"]?.elements ?? [] } ?? []
    return lists.compactMap { $0["title"]?.string }
      + (document?["cards"]?.elements ?? []).compactMap { $0["front"]?.string }
  }

  /// Edits a library as the app does, with new text and the current time.
  func edit(_ library: String, _ old: String, _ new: String) throws {
    let bundle = folder["edit-\(UUID().uuidString).jsonl"]
    try fleetkit("export", library, "--to", bundle, "--type", "item", "-q")
    var text = try String(contentsOfFile: bundle, encoding: .utf8)
    text = text.replacing("\"\(old)\"", with: "\"\(new)\"")
    try text.write(toFile: bundle, atomically: true, encoding: .utf8)
    try fleetkit("import", bundle, "--into", library, "--on-conflict", "newest")
  }

  /// Queues and sends the changes.
  func send(_ library: String) throws {
    try fleetkit("update", library, "--changed")
    try sync(library)
  }

  func ticks(_ library: String) throws -> String {
    try SQLiteShell.run(library, "SELECT itemStates FROM checklistExecutionStates;")
  }
}
