import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Members that another app added to a record are kept in the sidecar and written with the record again.
@Suite struct ForeignExtrasTests {
  private let scratch = Scratch()

  private static let charter = "3A000000-0000-4000-8000-000000000001"
  private static let list = "3A000000-0000-4000-8000-000000000002"
  private static let execution = "3A000000-0000-4000-8000-000000000003"

  /// Writes a charter, a checklist and an execution with `extras.foreign`. The charter has no end.
  private func bundle(_ name: String, _ word: String) throws -> String {
    let extras = "\"extras\":{\"foreign\":{\"other\":{\"word\":\"\(word)\"}}}"
    return try scratch.write(
      name,
      """
      {"kind":"charter","id":"\(Self.charter)","name":"A","start_date":"2026-06-06",\(extras)}
      {"kind":"item","id":"\(Self.list)","content_type":"checklist","title":"L","content_data":{},\(extras)}
      {"kind":"execution","id":"\(Self.execution)","checklist_id":"\(Self.list)","charter_id":"\(Self.charter)",\
      "created_at":"2026-06-06","item_states":{},\(extras)}

      """)
  }

  private func words(_ library: String) throws -> [String: String] {
    var words: [String: String] = [:]
    try RecordScan(sources: SourceList([library])).run(context: RunContext(now: Timestamp(milliseconds: 0))) {
      let root = try $0.document().root
      words[root["kind"]?.string ?? ""] = root["extras"]?["foreign"]?["other"]?["word"]?.string ?? "-"
    }
    return words
  }

  @Test func comesBack() throws {
    let library = scratch["a.sqlite"]
    let first = try bundle("a.jsonl", "one")
    #expect(try Shell.fleetkit("import", first, "--into", library, "--create", "--prove", "--no-loss").status == 0)
    #expect(try words(library) == ["charter": "one", "item": "one", "execution": "one"])
    // A second import changes nothing: the end that the library filled in does not count as an edit.
    let again = try Shell.fleetkit("import", first, "--into", library, "--json")
    #expect(again.output.contains("\"unchanged\":3"), "\(again.output)")
  }

  @Test func isReplacedAndTakenBack() throws {
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    let before = try words(library)
    #expect(try Shell.fleetkit("import", try bundle("a.jsonl", "one"), "--into", library, "-q").status == 0)
    #expect(try Shell.fleetkit("import", try bundle("a.jsonl", "two"), "--into", library, "-q").status == 0)
    var found: Set<String> = []
    try RecordScan(sources: SourceList([library])).run(context: RunContext(now: Timestamp(milliseconds: 0))) {
      if let word = try $0.document().root["extras"]?["foreign"]?["other"]?["word"]?.string { found.insert(word) }
    }
    #expect(found == ["two"])
    #expect(try Shell.fleetkit("undo", library, "2", "--yes", "-q").status == 0)
    #expect(try Shell.fleetkit("undo", library, "1", "--yes", "-q").status == 0)
    #expect(try words(library) == before)
  }

  /// Records in a source that imitate the kept members are not imported.
  @Test(arguments: ["fleetkit:extras", "fleetkit:extras-charter"]) func nobodyBringsThem(_ kind: String) throws {
    let file = try scratch.write("x.jsonl", "{\"kind\":\"\(kind)\",\"id\":\"\(Self.charter)\",\"extras\":{}}\n")
    let answer = try Shell.fleetkit("import", file, "--into", scratch["x.sqlite"], "--create", "--json")
    #expect(answer.output.contains("\"read\":1,\"created\":0,"), "\(answer.output)")
    #expect(try words(scratch["x.sqlite"]).isEmpty)
  }
}
