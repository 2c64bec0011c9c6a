import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// `--prove` succeeds for every format, and fails for every kind of field that differs from the source.
@Suite struct ProofTests {
  private static let formats = FormatRegistry.standard.formats.map(\.descriptor).filter {
    $0.writes && $0.reads && !$0.keeps.isDisjoint(with: [.checklists, .guides])
  }

  /// The samples in every format that can be written and read: each loss is reported, and nothing else differs.
  @Test(arguments: formats.map(\.name))
  func whatIsWrittenIsProved(_ name: String) throws {
    let scratch = Scratch()
    let format = try #require(Self.formats.first { $0.name == name })
    let isFolder = format.takesFolders || format.writesFolders
    let target = isFolder ? scratch["out"] + "/" : scratch["out.\(format.extensions[0])"]
    var conversion = Conversion(sources: try SourceList([Paths.root + "/samples"]), target: Target(target))
    conversion.targetFormat = FormatID(name)
    conversion.proves = true
    let context = Run.context(user: "1")
    let proof = try #require(try conversion.run(context: context).proof)
    // Some formats hold only texts.
    let isWhole = format.keeps.contains(.checklists)
    #expect(proof.holds && proof.records > (isWhole ? 30 : 10) && proof.fields > (isWhole ? 5000 : 200))
    #expect(proof.losses == context.losses.total)
    #expect(proof.losses > 0 || ["fleetpack", "markdown"].contains(name))
    #expect(FileManager.default.fileExists(atPath: target))
    #expect(try Self.hidden(scratch).isEmpty)
  }

  /// A library of the app with values that a table cannot hold, such as negative minutes and empty descriptions.
  /// Formats without ids identify an item by its title, which a file name may change.
  @Test(arguments: formats.filter { $0.keeps.contains(.ids) }.map(\.id.rawValue))
  func aLibraryOfTheAppIsProved(_ name: String) throws {
    let scratch = Scratch()
    let format = try #require(Self.formats.first { $0.name == name })
    let isFolder = format.takesFolders || format.writesFolders
    let target = isFolder ? scratch["out"] + "/" : scratch["out.\(format.extensions[0])"]
    let library = try scratch.copy("library-v2.2.0.sqlite", as: "a.sqlite")
    var conversion = Conversion(sources: try SourceList([library]), target: Target(target))
    conversion.targetFormat = FormatID(name)
    conversion.proves = true
    let summary = try conversion.run(context: Run.context(user: "1"))
    #expect(summary.proof?.holds == true)
    #expect(summary.tally.total.rejected == 0)
  }

  /// Returns the temporary files of the proof, none of which may be left.
  private static func hidden(_ scratch: Scratch) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasPrefix(".") }
  }

  @Test func lossesThatAreForbiddenStillRefuse() throws {
    let scratch = Scratch()
    var conversion = Conversion(
      sources: try SourceList([Paths.root + "/samples"]), target: Target(scratch["a.sqlite"]))
    conversion.proves = true
    let failure = #expect(throws: RunFailure.self) { try conversion.run(context: Run.context(noLoss: true)) }
    #expect(failure?.status == .refused)
    #expect(!FileManager.default.fileExists(atPath: scratch["a.sqlite"]))
    #expect(try Self.hidden(scratch).isEmpty)
  }

  /// The last of two equally named members counts. The original text with both members is listed as a loss, not as a
  /// difference.
  @Test(arguments: ["payload = '{\"title\":\"first\",' || substr(payload, 2)", "payload = '{'"])
  func aPayloadThatIsReadWithLossesIsProved(_ change: String) throws {
    let scratch = Scratch()
    let source = try scratch.copy("library-v2.2.0.sqlite", as: "a.sqlite")
    try SQLiteShell.run(source, "UPDATE sync_queue SET \(change) WHERE id = 11;")
    var conversion = Conversion(sources: try SourceList([source]), target: Target(scratch["b.sqlite"]))
    conversion.proves = true
    let context = Run.context()
    let summary = try conversion.run(context: context)
    #expect(summary.proof?.holds == true)
    // A record that could not be read is written back unchanged.
    let isKept = change.hasSuffix("'{'")
    #expect(context.losses.total == (isKept ? 0 : 1))
    let payloads = "SELECT json_valid(payload), payload = '{' FROM sync_queue WHERE id = 11;"
    #expect(try SQLiteShell.run(scratch["b.sqlite"], payloads) == (isKept ? "0|1\n" : "1|0\n"))
  }

  // MARK: A proof can fail

  /// SQL that changes one value of each kind in a library behind FleetKit's back, through the `sqlite3` shell.
  static let changes: [(sql: String, pointer: String)] = [
    ("UPDATE library_content SET title = title || '.' WHERE id = $item", "/title"),
    ("UPDATE library_content SET description = NULL WHERE id = $item", "/description"),
    ("UPDATE library_content SET tags = '[\"safety\"]' WHERE id = $item", "/tags/0"),
    ("UPDATE library_content SET language = 'xx' WHERE id = $item", "/language"),
    ("UPDATE library_content SET isPinned = 1 - isPinned WHERE id = $item", "/is_pinned"),
    ("UPDATE library_content SET forkCount = forkCount + 1 WHERE id = $item", "/fork_count"),
    ("UPDATE library_content SET createdAt = '2020-01-01 00:00:00.000' WHERE id = $item", "/created_at"),
    ("UPDATE library_content SET updatedAt = '2020-01-01 00:00:00.000' WHERE id = $item", "/updated_at"),
    ("UPDATE library_content SET visibility = 'unlisted' WHERE id = $item", "/visibility"),
    (
      "UPDATE checklists SET content = json_set(content, '$[0].items[0].title', 'x') WHERE id = $item",
      "/content_data/sections/0/items/0/title"
    ),
    (
      "UPDATE checklists SET content = json_set(content, '$[0].items[0].estimatedMinutes', 999) WHERE id = $item",
      "/content_data/sections/0/items/0/estimatedMinutes"
    ),
    (
      "UPDATE checklists SET content = json_remove(content, '$[0].items[0]') WHERE id = $item",
      "/content_data/sections/0/items"
    ),
    ("UPDATE checklists SET content = json_remove(content, '$[0]') WHERE id = $item", "/content_data/sections"),
    ("DELETE FROM library_content WHERE id = $item; DELETE FROM checklists WHERE id = $item", "is not in"),
    ("UPDATE charters SET name = name || ' ' WHERE id = (SELECT min(id) FROM charters)", "/name"),
    ("DELETE FROM checklistExecutionStates WHERE id = (SELECT min(id) FROM checklistExecutionStates)", "is not in"),
  ]

  @Test(arguments: changes.indices)
  func aLibraryThatWasChangedIsNotProved(_ index: Int) throws {
    let scratch = Scratch()
    let source = Libraries.path("library-v2.2.0.sqlite")
    let losses = try Self.written(source, to: scratch["a.sqlite"])
    let change = Self.changes[index]
    let item = "(SELECT min(id) FROM checklists)"
    try SQLiteShell.run(scratch["a.sqlite"], change.sql.replacing("$item", with: item) + ";")
    let result = try Self.prove(source, scratch["a.sqlite"], losses)
    #expect(!result.summary.holds)
    let first = try #require(result.differences.first)
    #expect(first.message.contains(change.pointer), "\(first.message)")
    #expect(result.differences.allSatisfy { $0.message.contains("a.sqlite") })
    #expect(first.place.file == source && first.place.row != nil)
  }

  /// A bundle is edited with `sed`. The losses of the conversion explain only the differences that they name.
  @Test func aBundleThatWasChangedIsNotProved() throws {
    let scratch = Scratch()
    let source = Paths.root + "/samples"
    for (index, edit) in [
      "s/\"isRequired\":true/\"isRequired\":false/", "s/\"front\":\"/&X/",
      "s/\"estimatedMinutes\":[0-9]*/\"estimatedMinutes\":77/",
      "0,/\"kind\":\"item\"/{/\"kind\":\"item\"/d}", "s/\"id\":\"5/\"id\":\"6/",
    ].enumerated() {
      let target = scratch["\(index).jsonl"]
      let losses = try Self.written(source, to: target)
      let before = try scratch.text("\(index).jsonl")
      let answer = try Shell.run("sed", ["-i", edit, target])
      #expect(answer.status == 0, "\(answer.errors)")
      try #require(try scratch.text("\(index).jsonl") != before, "\(edit) changes nothing")
      let result = try Self.prove(source, target, losses)
      #expect(!result.summary.holds && !result.differences.isEmpty, "\(edit)")
    }
  }

  /// Without the list of losses, every loss is a difference: the proof does not trust a format.
  @Test(arguments: ["csv", "xlsx", "sqlite"])
  func aLossThatNobodyDeclaredIsFound(_ ending: String) throws {
    let scratch = Scratch()
    let source = Paths.root + "/samples"
    let losses = try Self.written(source, to: scratch["a.\(ending)"])
    #expect(try Self.prove(source, scratch["a.\(ending)"], losses).summary.holds)
    let silent = try Self.prove(source, scratch["a.\(ending)"], nil)
    #expect(!silent.summary.holds && silent.summary.explained == 0)
  }

  /// A record that the writer rejects is accounted for.
  @Test func rejectedRecordsAreExplained() throws {
    let scratch = Scratch()
    let source = try scratch.write(
      "twice.jsonl",
      (0..<2).map {
        #"{"kind":"item","id":"11111111-2222-4333-8444-555555555555","content_type":"practice_guide","#
          + #""title":"T\#($0)","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","#
          + #""content_data":{"markdown":"x"}}"#
      }.joined(separator: "\n") + "\n")
    var conversion = Conversion(sources: try SourceList([source]), target: Target(scratch["a.sqlite"]))
    conversion.proves = true
    let summary = try conversion.run(context: Run.context())
    #expect(summary.tally.total.rejected == 1 && summary.proof?.records == 1 && summary.proof?.holds == true)
  }

  /// All losses explain differences, even those that are not kept for display because there are too many.
  @Test func everyLossIsKept() throws {
    let scratch = Scratch()
    let lines = (0..<1000).map { number in
      #"{"kind":"item","id":"\#(UUID().uuidString)","content_type":"practice_guide","title":"G\#(number)","#
        + #""description":"d","language":"en","is_pinned":true,"created_at":"2026-01-01T00:00:00.000Z","#
        + #""updated_at":"2026-01-01T00:00:00.000Z","content_data":{"markdown":"x"}}"#
    }
    let source = try scratch.write("many.jsonl", lines.joined(separator: "\n") + "\n")
    var conversion = Conversion(sources: try SourceList([source]), target: Target(scratch["a.csv"]))
    conversion.proves = true
    let proof = try #require(try conversion.run(context: Run.context()).proof)
    #expect(proof.holds && proof.losses >= 1000 && proof.records == 1000)
  }

  // MARK: - Helpers

  /// Converts a source and returns the run's losses.
  static func written(_ source: String, to target: String) throws -> LossArchive {
    let context = Run.context()
    let losses = try LossArchive(of: context.losses)
    try Run.convert(source, to: target, context: context)
    return losses
  }

  static func prove(_ source: String, _ target: String, _ losses: LossArchive?) throws -> Proof.Result {
    try Proof(source: SourceList([source]), target: SourceList([target])).run(losses: losses, context: Run.context())
  }
}
