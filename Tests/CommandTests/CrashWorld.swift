import FleetKit
import Foundation
import TestSupport
import Testing

/// A library, a source, and a command that changes the library using the source. The world is prepared once and copied
/// for each kill.
///
/// The results are checked with SQLite's own shell and by the names of the remaining files.
struct CrashWorld {
  /// The change to the library.
  enum Job: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Imports notes, a picture, and a bundle with a deck and a broken record into a library that the app wrote.
    case first = "import"
    /// Imports the same source after edits to both the source and the library.
    case update = "import of edits"
    /// Imports the same edits while the library has a write-ahead log.
    case updateLogged = "import of edits, with a log"
    /// Undoes the import of edits.
    case undo = "undo"
    /// Imports into a library that does not exist yet.
    case create = "import --create"

    var testDescription: String { rawValue }
  }

  /// The time for sources without times of their own.
  static let epoch = ["SOURCE_DATE_EPOCH": "1767607872"]

  let job: Job
  let scratch = Scratch()
  /// The arguments of the command.
  let arguments: [String]
  /// The folder in which commands are killed.
  var folder: String { scratch["work"] }
  var library: String { scratch["work/l.sqlite"] }
  /// The number of the run.
  let run: Int64
  /// The exit status of the undisturbed command.
  let status: Int32
  /// The complete state before the undisturbed command.
  let before: Image
  let after: Image
  /// The output of `fleetkit list` before and after the command; nil if there is no library.
  let listed: (before: String?, after: String)
  /// The duration of the undisturbed command in microseconds.
  let microseconds: Int

  /// Prepares the world.
  /// - Parameters:
  ///   - records: the number of checklists in the bundle.
  ///   - decks: the number of large decks in the edited bundle.
  init(_ job: Job, records: Int = 24, decks: Int = 0) throws {
    self.job = job
    let source = scratch["source"]
    let (library, base) = (scratch["work/l.sqlite"], scratch["base"])
    try FileManager.default.createDirectory(atPath: scratch["work"], withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    let bring = ["import", source, "--into", library, "-q"]
    try Self.write(source, records, 0, edited: false)
    if job != .create { _ = try scratch.writable("library-v2.2.0.sqlite", as: "work/l.sqlite") }
    switch job {
    case .first: (arguments, run, status) = (bring, 1, 3)
    case .create: (arguments, run, status) = (bring + ["--create"], 1, 3)
    case .update, .updateLogged, .undo:
      try Self.expect(bring, 3)
      try SQLiteShell.run(
        library,
        "UPDATE checklists SET title = title || ' (ours)' WHERE title LIKE 'List %5' OR title LIKE 'List %2'; "
          + "UPDATE library_content SET title = title || ' (ours)' WHERE title LIKE 'List %5' OR title LIKE 'List %2'; "
          + (job == .updateLogged ? "PRAGMA journal_mode = WAL;" : ""))
      try Self.write(source, records, decks, edited: true)
      if job == .undo {
        try Self.expect(bring, 3)
        (arguments, run, status) = (["undo", "2", "--library", library, "-q"], 3, 0)
      } else {
        (arguments, run, status) = (bring, 2, 3)
      }
    }
    try FileManager.default.moveItem(atPath: scratch["work"], toPath: base)
    try FileManager.default.copyItem(atPath: base, toPath: scratch["work"])
    before = try Image(library)
    let seen = before.content == nil ? nil : try Self.list(library)
    try Self.layOut(scratch)
    let clock = ContinuousClock()
    let start = clock.now
    try Self.expect(arguments, status)
    let time = (clock.now - start).components
    microseconds = Int(time.seconds) * 1_000_000 + Int(time.attoseconds / 1_000_000_000_000)
    after = try Image(library)
    listed = (seen, try Self.list(library))
    try #require(before.content != after.content)
  }

  /// Restores the complete initial state.
  func layOut() throws { try Self.layOut(scratch) }

  private static func layOut(_ scratch: Scratch) throws {
    try FileManager.default.removeItem(atPath: scratch["work"])
    try FileManager.default.copyItem(atPath: scratch["base"], toPath: scratch["work"])
  }

  private static func expect(_ arguments: [String], _ status: Int32) throws {
    let answer = try Shell.run(Paths.command, arguments, environment: epoch)
    try #require(answer.status == status, "\(arguments): \(answer.status), \(answer.errors)")
  }

  /// Runs a command at this world's fixed time.
  func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Answer {
    try Shell.run(Paths.command, arguments, environment: Self.epoch.merging(environment) { $1 })
  }

  /// Starts the command and returns without waiting for its end.
  func start(_ environment: [String: String] = [:]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(Self.epoch) { $1 }.merging(environment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Returns the full content of a library as FleetKit reads it.
  static func list(_ library: String) throws -> String {
    let answer = try Shell.fleetkit("list", library, "--json", "-q")
    #expect(answer.status == 0, "\(answer.errors)")
    return answer.output
  }

  // MARK: The source

  private static func write(_ folder: String, _ records: Int, _ decks: Int, edited: Bool) throws {
    func put(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }
    var text = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
    for index in 0..<(edited ? records + records / 4 : records) {
      let id = String(format: "%08X-0000-4000-8000-000000000000", index &* 2_654_435_761 & 0xFFFF_FFFF)
      let words = edited && index % 3 == 0 ? "Lower the dinghy and row ashore. " : "Weigh anchor and note the depth. "
      let title = "List \(index)" + (edited && index % 5 == 0 ? " (theirs)" : "")
      text +=
        "{\"id\":\"\(id)\",\"content_type\":\"checklist\",\"title\":\"\(title)\",\"content_data\":{\"sections\":"
        + "[{\"title\":\"A\",\"items\":[{\"title\":\"\(String(repeating: words, count: 30))\"}]}]}}\n"
    }
    text +=
      "{\"id\":\"99999999-0000-4000-8000-000000000000\",\"content_type\":\"checklist\"}\n"
      + "{\"id\":\"99999999-0000-4000-8000-000000000001\",\"content_type\":\"flashcard_deck\",\"title\":\"Deck\","
      + "\"content_data\":{\"cards\":[{\"front\":\"a\",\"back\":\"\(edited ? "c" : "b")\"}]}}\n"
    let card =
      "{\"front\":\"a\",\"back\":\"\(String(repeating: "Which light has a vessel at anchor? ", count: 3000))\"}"
    for index in 0..<decks {
      text +=
        "{\"id\":\"\(String(format: "88888888-0000-4000-8000-%012X", index))\",\"content_type\":\"flashcard_deck\","
        + "\"title\":\"Deck \(index)\",\"content_data\":{\"cards\":[\(card)]}}\n"
    }
    try put("lists.jsonl", text)
    for name in ["Casting off", "Mooring", "Fuel dock"] {
      try put(
        name + ".md",
        "---\ntags: [harbour]\nweather: any\n---\n# \(name)\n\n- [ ] Fenders out\n- [ ] Lines ready\n"
          + (edited ? "- [ ] Crew told\n" : "") + "\n![plan](plan.png)\n")
    }
    try put("plan.png", "\u{89}PNG " + String(repeating: edited ? "north " : "south ", count: 200))
  }
}
