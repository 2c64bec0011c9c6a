import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// `publish SOURCE --library L`: findings about an item name its place in the source.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct EnqueueSourceTests {
  private static let note = """
    ---
    title: Ba
    type: checklist
    tags: [a, b, c, d, e, f, g, h, i, j, k]
    ---
    ## Before

    - [ ] Look at the chart

    ## Empty

    ## Empty too
    """
  private static let bundle = """
    {"content_type":"checklist",
     "title":"Xx",
     "content_data":{"sections":[
       {"title":"One","items":[]}
     ]}}
    """
  private static let table = "checklist,section,item\nAb,One,Step one\nAb,One,Step two\n"

  @Test(arguments: [("vault/note.md", note, "vault"), ("one.json", bundle, "one.json"), ("t.csv", table, "t.csv")])
  func placesAreTheSources(_ file: String, _ text: String, _ source: String) throws {
    let world = try EnqueueWorld()
    try FileManager.default.createDirectory(
      atPath: world.folder["vault"], withIntermediateDirectories: true)
    _ = try world.folder.write(file, text)
    let path = world.folder[source]
    let validated = try Self.findings(
      Shell.run(Paths.command, ["validate", path, "--profile", "publish", "--report", "jsonl"]).output)
    #expect(!validated.isEmpty && validated.allSatisfy { $0.hasPrefix(path) }, "\(validated)")
    // Test a new item, an existing item, and a copy.
    for arguments in [["--dry-run"], [], []] {
      let answer = try Shell.run(
        Paths.command, ["publish", path, "--library", world.library, "--json"] + arguments)
      #expect(answer.status == 3, "\(answer.errors)")
      let root = try JSONDocument(parsing: answer.output).root
      let found = (root["findings"]?["items"]?.elements ?? []).compactMap { finding in
        finding["severity"]?.string == "error"
          ? (finding["place"]?.string ?? "") + " " + (finding["code"]?.string ?? "") : nil
      }
      #expect(found.sorted() == validated.sorted())
    }
  }

  /// Returns the places and codes of the errors in a `validate` report.
  private static func findings(_ report: String) throws -> [String] {
    try report.split(separator: "\n").compactMap { line in
      let root = try JSONDocument(parsing: String(line)).root
      guard root["severity"]?.string == "error" else { return nil }
      return (root["place"]?.string ?? "") + " " + (root["code"]?.string ?? "")
    }
  }

  @Test func whatTheLibraryHasOtherwiseIsSaidThere() throws {
    let world = try EnqueueWorld()
    let source = world.folder["export.json"]
    #expect(try Shell.run(Paths.command, ["export", world.library, "--to", source, "--id", "F2AB9D35"]).status == 0)
    try world.sql(
      "UPDATE library_content SET title = 'X', updatedAt = '2027-01-01 00:00:00.000' WHERE id = '\(EnqueueWorld.clean)'"
    )
    // The library's version is newer, so it is kept. The source is correct, so the finding does not refer to it.
    let answer = try Shell.run(Paths.command, ["publish", source, "--library", world.library])
    let place = "library.sqlite#library_content/\(EnqueueWorld.clean)/title"
    #expect(answer.status == 3 && answer.errors.contains(place), "\(answer.errors)")
  }

  @Test func aTitleIsForOneItem() throws {
    let world = try EnqueueWorld()
    let last = try world.last()
    let source = Paths.root + "/samples/curated-checklists.jsonl"
    let answer = try Shell.run(
      Paths.command, ["publish", source, "--library", world.library, "--set-title", "All of them"])
    #expect(answer.status == 64 && answer.errors.contains(/\brun 1\b/), "\(answer.errors)")
    #expect(try world.queue(after: last).isEmpty)
    let other = try Shell.run(Paths.command, ["publish", source])
    #expect(other.status == 64 && other.errors.contains("--library"), "\(other.errors)")
  }
}
