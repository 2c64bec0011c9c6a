import Foundation
import TestSupport
import Testing

/// The messages of `import` about rows and about retried rows.
@Suite struct RetryCommandTests {
  private static let table = """
    checklist,section,item,minutes
    Departure,Deck,Check the fenders,a while
    Departure,Deck,Single up the lines,5
    Departure,Below,Dog the hatches,2

    """

  @Test func theLastLineIsWhereTheRejectsAre() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    let first = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", folder: scratch.path)
    #expect(first.status == 3)
    let lines = first.errors.split(separator: "\n")
    let path = String(try #require(lines.last))
    #expect(path.hasSuffix("-import.csv") && lines.dropLast().last?.contains("--retry") == true)
    #expect(lines.contains { $0.split(separator: " ").map(String.init) == ["rows", "3", "2", "1", "0"] })
    let runs = try Shell.fleetkit("runs", "l.sqlite", folder: scratch.path).output.split(separator: "\n")
    #expect(runs.last?.split(separator: " ").suffix(5).first == "1", "the rejected row is counted")
    let rejects = scratch[path]
    #expect(
      try String(contentsOfFile: rejects, encoding: .utf8)
        == "checklist,section,item,minutes\nDeparture,Deck,Check the fenders,a while\n")

    let corrected = try String(contentsOfFile: rejects, encoding: .utf8).replacing("a while", with: "5 min")
    try corrected.write(toFile: rejects, atomically: true, encoding: .utf8)
    let retried = try Shell.fleetkit("import", "--retry", path, "--into", "l.sqlite", "--json", folder: scratch.path)
    #expect(retried.status == 0, "\(retried.errors)")
    #expect(retried.number("/steps/added") == 1 && retried.number("/rows/created") == 1)
    #expect(retried.number("/rows/rejected") == 0)
    let shown = try Shell.fleetkit("export", "l.sqlite", "--to", "all.jsonl", folder: scratch.path)
    #expect(shown.status == 0)
    let all = try scratch.text("all.jsonl")
    let titles = ["Check the fenders", "Single up the lines", "Dog the hatches"].compactMap {
      all.range(of: $0)?.lowerBound
    }
    #expect(titles.count == 3 && titles == titles.sorted(), "the step has its position in the table")
  }

  @Test func machinesGetTheSameNumbers() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table.replacing("a while", with: "1"))
    _ = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    _ = try scratch.write(
      "steps.csv",
      Self.table.replacing("a while", with: "1").replacing("Check the fenders", with: "Check all the fenders"))
    let answer = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--json", folder: scratch.path)
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any])
    let rows = try #require(json["rows"] as? [String: Int])
    #expect(rows["read"] == 3 && rows["updated"] == 1 && rows["unchanged"] == 2 && rows["created"] == 0)
    #expect((json["steps"] as? [String: Int]) == ["changed": 1, "added": 0, "removed": 0, "moved": 0])
    let change = try #require((json["step_changes"] as? [[String: String]])?.first)
    #expect(change["change"] == "changed" && change["title"] == "Check the fenders")
    #expect(change["new_title"] == "Check all the fenders" && change["item_title"] == "Departure")
  }

  @Test func whatCannotBeTriedAgainSaysWhy() throws {
    let scratch = Scratch()
    _ = try scratch.write("l.rejects.csv", Self.table)
    let alone = try Shell.fleetkit(
      "import", "--retry", "l.rejects.csv", "--into", "l.sqlite", "--create", folder: scratch.path)
    #expect(alone.status == 2 && alone.errors.contains("l.rejects.reasons.jsonl"))
    _ = try scratch.write("l.rejects.reasons.jsonl", "{\"rejects\":\"l.rejects.csv\",\"origin\":{}}\n")
    let empty = try Shell.fleetkit(
      "import", "--retry", "l.rejects.csv", "--into", "l.sqlite", "--create", folder: scratch.path)
    #expect(empty.status == 2)
    let missing = try Shell.fleetkit("import", "--retry", "nothing.csv", "--into", "l.sqlite", folder: scratch.path)
    #expect(missing.status == 2)
    for arguments in [["l.rejects.csv", "--retry", "l.rejects.csv"], []] {
      let answer = try Shell.run(
        Paths.command, ["import"] + arguments + ["--into", "l.sqlite"], folder: scratch.path)
      #expect(answer.status == 64)
    }
  }

  @Test func tooManyBadRowsStopTheImport() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    let answer = try Shell.fleetkit(
      "import", "steps.csv", "--into", "l.sqlite", "--create", "--max-errors", "0", folder: scratch.path)
    #expect(answer.status == 2 && answer.errors.contains("--max-errors"))
    #expect(!scratch.names.contains("l.sqlite"))
  }
}
