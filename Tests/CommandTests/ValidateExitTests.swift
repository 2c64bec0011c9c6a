import Foundation
import JSONText
import TestSupport
import Testing

/// The exit status of `validate` is an interface. It depends on the findings, on `--fail-on`, and on errors that are
/// not findings.
@Suite struct ValidateExitTests {
  /// Content whose worst finding has the given severity; nil for content without findings.
  struct Content: CustomTestStringConvertible, Sendable {
    let worst: String?
    let name: String
    let text: String
    var testDescription: String { worst ?? "nothing" }
  }

  private static let step = "{\"title\":\"Seacocks open\",\"isRequired\":true}"
  private static func list(_ step: String) -> String {
    "{\"content_type\":\"checklist\",\"title\":\"Leaving the berth\",\"description\":\"Before the lines are slipped.\","
      + "\"content_data\":{\"sections\":[{\"title\":\"Below\",\"items\":[\(step)]}]}}"
  }

  static let contents = [
    Content(worst: nil, name: "content.json", text: list(step)),
    // A bundle without its header causes a note.
    Content(worst: "note", name: "content.jsonl", text: list(step) + "\n"),
    Content(
      worst: "warning", name: "content.json",
      text: list("{\"title\":\"Seacocks open\",\"isRequired\":true,\"isOptional\":true}")),
    Content(worst: "error", name: "content.json", text: list("{\"title\":7}")),
    Content(worst: "error", name: "content.json", text: list("{\"title\":\"x\"}") + "}"),
    Content(worst: "error", name: "content.json", text: ""),
    Content(worst: "error", name: "content.jsonl", text: "{\"kind\":\"bundle\"}\nnot json\n"),
    Content(worst: "error", name: "content.json", text: "{\"format\":\"other\",\"items\":[]}"),
    Content(worst: "error", name: "content.json", text: "{\"items\":[],\"items\":[]}"),
  ]

  @Test(arguments: contents, ["error", "warning", "note", "none"])
  func findingsAndFailOn(_ content: Content, _ failOn: String) throws {
    let ranks = ["note": 1, "warning": 2, "error": 3]
    let scratch = Scratch()
    let path = try scratch.write(content.name, content.text)
    let fails = (ranks[content.worst ?? ""] ?? 0) >= (ranks[failOn] ?? 4)
    for report in ["text", "jsonl", "sarif", "junit", "github"] {
      for profile in ["structure", "publish"] {
        let answer = try Shell.fleetkit(
          "validate", path, "--fail-on", failOn, "--report", report, "--profile", profile)
        #expect(answer.status == (fails ? 1 : 0), "\(report): \(answer.output) \(answer.errors)")
      }
    }
    if failOn == "error" {
      #expect(try Shell.fleetkit("validate", path).status == (fails ? 1 : 0), "error is the default")
    }
  }

  @Test func whatIsNoFinding() throws {
    let scratch = Scratch()
    let good = try scratch.write("good.json", Self.list(Self.step))
    let newer = try scratch.write("newer.json", "{\"format\":\"fleetkit.bundle\",\"min_reader\":9,\"items\":[]}")
    let schema = try scratch.write("s.json", "{\"type\":\"object\"}")
    let broken = try scratch.write("broken.json", "{\"type\":\"objekt\"}")
    let draft = try scratch.write("draft.json", "{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}")
    let remote = try scratch.write("remote.json", "{\"$ref\":\"http://localhost:1234/integer.json\"}")
    let damaged = Paths.libraries + "/library-v1.4.0-truncated.sqlite"
    let cases: [([String], Int32)] = [
      ([good], 0), ([scratch["missing.json"]], 2), ([damaged], 2), ([good, damaged], 2), ([newer], 6),
      ([good, "--fail-on", "everything"], 64), ([good, "--report", "pdf"], 64), ([good, "--profile", "all"], 64),
      ([good, "--max-findings", "-1"], 64), ([good, "--update-baseline"], 64), ([good, "--dry-run"], 64),
      ([good, "--baseline", scratch["none.json"]], 64), ([good, "--baseline", good], 64), ([], 64),
      ([good, "--schema", schema], 0), ([good, "--schema", broken], 64), ([good, "--schema", draft], 64),
      ([good, "--schema", remote], 64), ([good, "--schema", remote, "--schema-dir", scratch["nowhere"]], 64),
      ([good, "--schema", scratch["missing.json"]], 2), ([scratch["missing.json"], "--schema", schema], 2),
      ([good, "--schema", schema, "--profile", "publish"], 64), ([good, "--schema", schema, "--fix"], 64),
      ([good, "--schema-dir", scratch.path], 64),
    ]
    for (arguments, status) in cases {
      let answer = try Shell.run(Paths.command, ["validate"] + arguments)
      #expect(answer.status == status, "\(arguments): \(answer.output)\(answer.errors)")
      if status >= 2 {
        let complaint = answer.errors.split(separator: "\n").first { !$0.hasPrefix("Usage:") } ?? ""
        #expect(complaint.hasPrefix("fleetkit: "), "\(arguments): \(answer.errors)")
      }
    }
  }

  @Test func oneDamagedSourceDoesNotHideTheOthers() throws {
    let scratch = Scratch()
    let bad = try scratch.write("bad.json", Self.list("{\"title\":7}"))
    let answer = try Shell.fleetkit("validate", Paths.libraries + "/library-v1.4.0-truncated.sqlite", bad, "--json")
    #expect(answer.status == 2)
    #expect(answer.output.contains("\"VAL0101\"") && answer.output.contains("\"SCH0101\""))
  }

  /// The report mentions the limit, which changes neither the counts nor the status.
  @Test func theLimitOnlyHides() throws {
    let scratch = Scratch()
    let steps = (0..<20).map { "{\"title\":\($0)}" }.joined(separator: ",")
    let path = try scratch.write("content.json", Self.list(steps))
    for limit in ["1", "7", "20", "0"] {
      let text = try Shell.fleetkit("validate", path, "--max-findings", limit)
      let lines = try Shell.fleetkit("validate", path, "--max-findings", limit, "--report", "jsonl")
      #expect(text.status == 1 && lines.status == 1)
      #expect(text.output.contains(/\b20\b/))
      let shown = lines.output.split(separator: "\n").filter { $0.contains("\"kind\":\"finding\"") }.count
      #expect(shown == (limit == "0" ? 20 : Int(limit)))
      let hidden = 20 - (limit == "0" ? 20 : Int(limit) ?? 0)
      #expect(lines.output.contains("\"hidden\":\(hidden)") && lines.output.contains("\"errors\":20"))
      #expect(hidden == 0 || text.output.numbers.contains(hidden))
    }
  }

  @Test func aBaselineHidesOldDebtAndNothingNew() throws {
    let scratch = Scratch()
    let path = try scratch.write("content.json", Self.list("{\"title\":7}"))
    let baseline = scratch["old.json"]
    let written = try Shell.fleetkit("validate", path, "--baseline", baseline, "--update-baseline")
    #expect(written.status == 0 && FileManager.default.fileExists(atPath: baseline))
    #expect(try Shell.fleetkit("validate", path, "--baseline", baseline).status == 0)
    _ = try scratch.write("content.json", "\n\n" + Self.list("{\"title\":\"Hatches closed\"},{\"title\":7}"))
    #expect(try Shell.fleetkit("validate", path, "--baseline", baseline).status == 0, "lines and indices may move")
    _ = try scratch.write("content.json", Self.list("{\"title\":7},{\"title\":7}"))
    let again = try Shell.fleetkit("validate", path, "--baseline", baseline, "--report", "jsonl")
    #expect(again.status == 1 && again.output.contains("\"errors\":1,"), "one more of the same is new")
  }

  @Test func aBaselineWritesOverNothingElse() throws {
    let scratch = Scratch()
    let path = try scratch.write("content.json", Self.list("{\"title\":7}"))
    let other = try scratch.write("guide.json", Self.list(Self.step))
    let answer = try Shell.fleetkit("validate", path, "--baseline", other, "--update-baseline")
    #expect(answer.status == 4)
    #expect(try scratch.text("guide.json") == Self.list(Self.step))
  }

  /// A baseline may be stored among the content. It has the same meaning from every folder, and keeps entries for files
  /// that were not checked this time.
  @Test func aBaselineAmongTheContent() throws {
    let scratch = Scratch()
    for folder in ["a", "b"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
      _ = try scratch.write(folder + "/content.json", Self.list("{\"title\":7}"))
    }
    func run(_ arguments: [String], in folder: String) throws -> Answer {
      try Shell.run(Paths.command, ["validate"] + arguments, folder: folder)
    }
    #expect(try run([".", "--baseline", "old.json", "--update-baseline"], in: scratch.path).status == 0)
    #expect(try run([".", "--baseline", "old.json"], in: scratch.path).status == 0)
    #expect(try run([".", "--baseline", "../old.json"], in: scratch["a"]).status == 0)
    let part = try run(["b", "--baseline", "old.json"], in: scratch.path)
    #expect(part.status == 0 && !part.errors.contains("old.json"), "\(part.errors)")
    #expect(try run(["b", "--baseline", "old.json", "--update-baseline"], in: scratch.path).status == 0)
    #expect(try run([".", "--baseline", "old.json"], in: scratch.path).status == 0)
  }

  /// Files that were not checked are reported, and a run that checks no file does not pass.
  @Test func passingOnNothing() throws {
    let scratch = Scratch()
    let good = try scratch.write("good.json", Self.list(Self.step))
    _ = try scratch.write("package.json", "{\"name\":\"x\",\"version\":\"1.0.0\"}")
    let folder = try Shell.fleetkit("validate", scratch.path)
    #expect(folder.status == 0 && folder.errors.contains("package.json") && Set(folder.output.numbers) == [1])
    #expect(try Shell.fleetkit("validate", scratch["package.json"]).status == 1, "named, it is checked")
    #expect(try Shell.fleetkit("validate", good, "--id", "ZZZZ").status == 4)
    let missing = try Shell.fleetkit("validate", scratch["none.json"], good, "--report", "sarif")
    #expect(missing.status == 2 && missing.output.contains("VAL0101"))
    #expect(mkfifo(scratch["pipe.json"], 0o600) == 0)
    #expect(try Shell.fleetkit("validate", scratch["pipe.json"]).status == 2)
  }

  /// A content file that was emptied, overwritten or cut off makes the check of its folder fail.
  @Test(arguments: [("", 1, 1), (" \n", 2, 1), ("see notes.txt", 1, 1), ("{\"title\":\"Gas\",\"tags\":[", 1, 24)])
  func damagedContentInAFolder(_ text: String, _ line: Int64, _ column: Int64) throws {
    let scratch = Scratch()
    _ = try scratch.write("good.json", Self.list(Self.step))
    _ = try scratch.write("gas.json", text)
    let answer = try Shell.fleetkit("validate", scratch.path, "--report", "jsonl")
    #expect(answer.status == 1, "\(answer.errors)")
    let finding = try #require(answer.output.split(separator: "\n").first { $0.contains("JSN0001") })
    let place = try JSONDocument(parsing: String(finding)).root
    #expect(place["file"]?.string == scratch["gas.json"])
    #expect(place["line"]?.integer == line && place["column"]?.integer == column, "\(finding)")
    let imported = try Shell.fleetkit("import", scratch.path, "--into", scratch["l.sqlite"], "--create", "-q")
    #expect(imported.status == 3, "\(imported.errors)")
  }

  /// Annotations name files relative to the checkout, and to the current folder if that is outside the checkout.
  @Test func annotationsNameFilesOfTheCheckout() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["repo/boat"], withIntermediateDirectories: true)
    _ = try scratch.write("repo/boat/bad.json", Self.list("{\"title\":7}"))
    for (checkout, name) in [("repo", "boat/bad.json"), ("other", "bad.json")] {
      for report in ["github", "sarif"] {
        let answer = try Shell.run(
          Paths.command, ["validate", ".", "--report", report], environment: ["GITHUB_WORKSPACE": scratch[checkout]],
          folder: scratch["repo/boat"])
        let field = report == "github" ? "file=\(name)," : "\"uri\":\"\(name)\""
        #expect(answer.output.contains(field), "\(checkout) \(report): \(answer.output.prefix(300))")
      }
    }
  }

  /// When the report is written to a file, standard output is empty, and the result is printed to standard error.
  @Test func theEndIsAlwaysSaid() throws {
    let scratch = Scratch()
    let bad = try scratch.write("bad.json", Self.list("{\"title\":7}"))
    for report in ["jsonl", "sarif", "junit"] {
      #expect(try Shell.fleetkit("validate", bad, "--report", report).errors.numbers.suffix(3) == [1, 1, 1])
    }
    // These reports are for people and contain the result.
    for report in ["text", "github"] {
      let answer = try Shell.fleetkit("validate", bad, "--report", report)
      let last = answer.output.split(separator: "\n").last.map(String.init)
      #expect(answer.errors.isEmpty && last?.numbers.suffix(3) == [1, 1, 1], "\(answer)")
    }
    #expect(try Shell.fleetkit("validate", bad, "-q").errors.numbers.suffix(3) == [1, 1, 1])
    let good = try scratch.write("good.json", Self.list(Self.step))
    let quiet = try Shell.fleetkit("validate", good, "-q")
    #expect(quiet.errors.isEmpty && quiet.output.isEmpty)
  }

  /// Each folder is checked with its own configuration, whatever the other arguments are.
  @Test func configurationsStayInTheirFolders() throws {
    let scratch = Scratch()
    for folder in ["strict", "loose"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    }
    _ = try scratch.write("strict/.fleetkit.yml", "profile: publish\nfail_on: warning\n")
    let noDescription =
      "{\"content_type\":\"checklist\",\"title\":\"Berth\",\"content_data\":{\"sections\":["
      + "{\"title\":\"Below\",\"items\":[{\"title\":\"Seacocks\",\"isRequired\":true,\"isOptional\":true}]}]}}"
    _ = try scratch.write("loose/a.json", noDescription)
    _ = try scratch.write("strict/b.json", Self.list(Self.step))
    let both = try Shell.fleetkit("validate", scratch["strict"], scratch["loose"], "--json")
    #expect(both.status == 0 && both.output.contains("LNT0201") && !both.output.contains("PUB0104"), "\(both.output)")
    _ = try scratch.write("strict/b.json", noDescription)
    let strict = try Shell.fleetkit("validate", scratch["strict"], scratch["loose"], "--json")
    #expect(strict.status == 1 && strict.output.components(separatedBy: "\"code\":\"PUB0104\"").count == 2)
    #expect(try Shell.fleetkit("validate", scratch["loose"], "--profile", "publish").status == 1)
    #expect(try Shell.fleetkit("validate", scratch["strict"], "--fail-on", "none").status == 0)
  }

  @Test func rulesAreExplained() throws {
    let all = try Shell.fleetkit("rules")
    #expect(all.status == 0 && all.output.contains("PUB0101") && all.output.contains("LNT0202"))
    let one = try Shell.fleetkit("rules", "empty-section")
    #expect(one.status == 0 && one.output.contains("LNT0202") && one.output.contains("docs/rules/empty-section.md"))
    #expect(try Shell.fleetkit("rules", "LIB0103", "--json").output.hasPrefix("[{\"code\":\"LIB0103\""))
    let wrong = try Shell.fleetkit("rules", "emty-section")
    #expect(wrong.status == 64 && wrong.errors.contains("empty-section"))
  }

  @Test func standardInput() throws {
    let bad = Self.list("{\"title\":7}")
    let answer = try Shell.fleetkit("validate", "-", "--from-format", "json", "--json", input: bad)
    #expect(answer.status == 1 && answer.output.contains("\"pointer\":\"/content_data/sections/0/items/0/title\""))
    let schema = Scratch()
    let path = try schema.write("s.json", "{\"type\":\"array\"}")
    #expect(try Shell.fleetkit("validate", "--schema", path, "-", input: "{}").status == 1)
    #expect(try Shell.fleetkit("validate", "--schema", path, "-", input: "[]").status == 0)
    #expect(try Shell.fleetkit("validate", "-", input: "[]").status == 64, "the format of standard input is unknown")
  }

  /// When a reader closes the pipe early, the status does not change.
  @Test func aReaderThatGoesAway() throws {
    let scratch = Scratch()
    let steps = (0..<5000).map { "{\"title\":\($0)}" }.joined(separator: ",")
    let path = try scratch.write("content.json", Self.list(steps))
    let answer = try Shell.run(
      "bash",
      [
        "-c",
        "set -o pipefail; '\(Paths.command)' validate '\(path)' --max-findings 0 | head -1; echo ${PIPESTATUS[0]}",
      ])
    #expect(answer.output.split(separator: "\n").last == "1", "\(answer.output.suffix(200)) \(answer.errors)")
  }
}
