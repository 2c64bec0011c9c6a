import Foundation
import TestSupport
import Testing

/// Reports of real runs: other tools accept them, and all of them contain the same findings.
@Suite struct ValidateReportTests {
  private static let sarifSchema = "reports/sarif-schema-2.1.0.json"
  private static let junitSchema = "reports/junit.xsd"

  /// Returns a typical project folder in which some names must be escaped in URLs and commands.
  private static func project() throws -> Scratch {
    let scratch = Scratch()
    let bad = "{\"content_type\":\"checklist\",\"title\":7,\n \"tags\":[\"ж\",8]}\n"
    let lines = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n" + "not json\n"
    let step = "{\"title\":\"Seacocks open\",\"isRequired\":true,\"isOptional\":true}"
    let rules =
      "[{\"content_type\":\"checklist\",\"title\":\"Leaving {0} [a](1) <b> ]]> & 'x'\",\"content_data\":{\"sections\":"
      + "[{\"title\":\"Below\",\"items\":[\(step),\(step)]}]}}]"
    for folder in ["guides and lists", "guides and lists/лоция", "100% #1"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    }
    _ = try scratch.write("guides and lists/плохой файл.json", bad)
    _ = try scratch.write("guides and lists/лоция/a+b=c, d;e.jsonl", lines)
    _ = try scratch.write("100% #1/what? [x]&%20'y'.json", rules)
    _ = try scratch.write("a:b.json", bad + "]")
    _ = try scratch.write("-dash.json", rules)
    for name in ["curated-checklists.jsonl", "crew-handbook.json", "phase1-library.sqlite"] {
      try FileManager.default.copyItem(atPath: Paths.root + "/samples/" + name, toPath: scratch[name])
    }
    for name in ["library-v2.2.0.sqlite", "library-v1.4.0-orphans.sqlite"] {
      _ = try scratch.writable(name, as: "guides and lists/" + name)
    }
    return scratch
  }

  private static func run(_ scratch: Scratch, _ report: String) throws -> Answer {
    let answer = try Shell.fleetkit("validate", ".", "--report", report, "--max-findings", "0", folder: scratch.path)
    try #require(answer.status == 1, "\(answer.errors)")
    return answer
  }

  private static func counts(_ scratch: Scratch) throws -> [String: Any] {
    let last = try #require(try run(scratch, "jsonl").output.split(separator: "\n").last)
    return try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
  }

  @Test func jsonLinesAddUp() throws {
    let scratch = try Self.project()
    let lines = try Self.run(scratch, "jsonl").output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "", "the last line ends")
    let objects = try lines.dropLast().map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let findings = objects.filter { $0["kind"] as? String == "finding" }
    let summary = try #require(objects.last)
    #expect(summary["kind"] as? String == "summary" && findings.count == objects.count - 1)
    #expect(summary["total"] as? Int == findings.count && findings.count > 40)
    for (member, severity) in [("errors", "error"), ("warnings", "warning"), ("notes", "note")] {
      let count = findings.count { $0["severity"] as? String == severity }
      #expect(summary[member] as? Int == count && count > 0, "\(member)")
    }
    let codes = Dictionary(grouping: findings) { $0["code"] as? String ?? "" }.mapValues(\.count)
    #expect(summary["codes"] as? [String: Int] == codes)
    #expect(summary["files"] as? Int == 10 && summary["status"] as? Int == 1 && summary["hidden"] as? Int == 0)
    #expect(summary["files_with_findings"] as? Int == Set(findings.compactMap { $0["file"] as? String }).count)
    for finding in findings {
      let file = try #require(finding["file"] as? String)
      #expect(FileManager.default.fileExists(atPath: scratch[file]), "\(file)")
    }
  }

  @Test func theOtherReportsSayTheSame() throws {
    let scratch = try Self.project()
    let counts = try Self.counts(scratch)
    let (errors, total) = (counts["errors"] as? Int ?? 0, counts["total"] as? Int ?? 0)
    let text = try Self.run(scratch, "text").output
    let numbers = [errors, counts["warnings"] as? Int ?? 0, counts["notes"] as? Int ?? 0]
    let last = text.split(separator: "\n").last.map(String.init) ?? ""
    #expect(last.matches(of: /[0-9]+/).prefix(3).compactMap { Int($0.output) } == numbers, "\(last)")
    let headings = text.split(separator: "\n").count { line in
      line.contains(/(error|warning|note)\[[A-Z]{3}[0-9]{4}\]\s/) && !line.hasPrefix(" ")
    }
    #expect(headings == total)
    let junit = try Self.run(scratch, "junit").output
    #expect(junit.components(separatedBy: "<failure ").count - 1 == errors)
    let failures = junit.matches(of: /<testsuite [^>]*failures="([0-9]+)"/).compactMap { Int($0.output.1) }
    #expect(failures.reduce(0, +) == errors && failures.count >= 10, "a file or more a suite")
  }

  @Test func githubCommandsFollowTheirGrammar() throws {
    let scratch = try Self.project()
    let lines = try Self.run(scratch, "github").output.split(separator: "\n").map(String.init)
    let commands = lines.filter { $0.hasPrefix("::") }
    #expect(commands.count == (try Self.counts(scratch))["total"] as? Int && commands.count == lines.count - 1)
    for command in commands {
      let match = try #require(command.wholeMatch(of: /::(error|warning|notice) ([^:\r\n]*)::([^\r\n]*)/), "\(command)")
      var properties: [String: String] = [:]
      for property in match.output.2.split(separator: ",") {
        let parts = property.split(separator: "=", maxSplits: 1)
        try #require(parts.count == 2, "\(command)")
        properties[String(parts[0])] = Self.unescaped(String(parts[1]))
      }
      #expect(Set(properties.keys).isSubset(of: ["file", "line", "col", "endColumn", "title"]), "\(command)")
      let file = try #require(properties["file"])
      #expect(FileManager.default.fileExists(atPath: scratch[file]), "\(file)")
      #expect(properties["line"].map { Int($0) ?? 0 > 0 } ?? file.hasSuffix(".sqlite"), "\(command)")
      // The message contains no percent escapes except those that the runner defines.
      #expect(!match.output.3.contains(/%(?!25|0D|0A)/), "\(command)")
    }
  }

  /// Decodes a property's value as the runner does.
  private static func unescaped(_ text: String) -> String {
    text.replacing("%0D", with: "\r").replacing("%0A", with: "\n").replacing("%3A", with: ":").replacing(
      "%2C", with: ","
    )
    .replacing("%25", with: "%")
  }

  @Test func sarifNamesFilesAndRules() throws {
    let scratch = try Self.project()
    let log = try JSONSerialization.jsonObject(with: Data(try Self.run(scratch, "sarif").output.utf8)) as? [String: Any]
    let run = try #require((log?["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == (try Self.counts(scratch))["total"] as? Int)
    let driver = (run["tool"] as? [String: Any])?["driver"] as? [String: Any]
    let rules = try #require(driver?["rules"] as? [[String: Any]])
    #expect(Set(rules.compactMap { $0["id"] as? String }).count == rules.count)
    #expect((run["invocations"] as? [[String: Any]])?.first?["exitCode"] as? Int == 1)
    var files: Set<String> = []
    for result in results {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
      let location = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
      let address = try #require((location?["artifactLocation"] as? [String: Any])?["uri"] as? String)
      #expect(
        address.wholeMatch(of: /([A-Za-z0-9._~\/-]|%[0-9A-F]{2})+/) != nil && !address.hasPrefix("/"), "\(address)")
      let file = try #require(address.removingPercentEncoding)
      #expect(FileManager.default.fileExists(atPath: scratch[file]), "\(file)")
      files.insert(file)
      guard let region = location?["region"] as? [String: Any] else { continue }
      let lines = try scratch.text(file).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      let line = try #require(region["startLine"] as? Int)
      try #require(lines.indices.contains(line - 1), "\(file):\(line)")
      if let column = region["startColumn"] as? Int { #expect(column <= lines[line - 1].count + 1) }
      if let end = region["endColumn"] as? Int { #expect(end <= lines[line - 1].count + 1) }
    }
    #expect(files.contains("100% #1/what? [x]&%20'y'.json") && files.contains("guides and lists/плохой файл.json"))
  }

  @Test(.enabled(if: Judges.has("check-jsonschema") && Judges.has(suite: sarifSchema), Judges.reason))
  func sarifFollowsItsSchema() throws {
    let scratch = try Self.project()
    let report = try scratch.write("findings.sarif", try Self.run(scratch, "sarif").output)
    let answer = try Judges.run("check-jsonschema", ["--schemafile", Judges.suite(Self.sarifSchema), report])
    #expect(answer.status == 0, "\(answer.output.prefix(2000)) \(answer.errors.prefix(2000))")
  }

  @Test(.enabled(if: Shell.has("xmllint") && Judges.has(suite: junitSchema), Judges.reason))
  func junitFollowsItsSchema() throws {
    let scratch = try Self.project()
    let report = try scratch.write("junit.xml", try Self.run(scratch, "junit").output)
    let answer = try Shell.run("xmllint", ["--noout", "--schema", Judges.suite(Self.junitSchema), report])
    #expect(answer.status == 0, "\(answer.errors.prefix(2000))")
  }

  /// Every report shows that the number of findings was limited, and the schemas allow this.
  @Test func aLimitIsSaidInEveryReport() throws {
    let scratch = try Self.project()
    let hidden = "\((try Self.counts(scratch)["total"] as? Int ?? 0) - 3) more findings"
    for report in ["text", "jsonl", "sarif", "junit", "github"] {
      let answer = try Shell.fleetkit("validate", ".", "--report", report, "--max-findings", "3", folder: scratch.path)
      #expect(answer.status == 1)
      let number = hidden.prefix { $0 != " " }
      #expect(answer.output.contains(report == "jsonl" ? "\"hidden\":\(number)," : hidden), "\(report)")
    }
  }
}
