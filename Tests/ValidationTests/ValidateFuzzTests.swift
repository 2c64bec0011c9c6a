import ProjectConfiguration
import FleetKit
import Foundation
import Reports
import TestSupport
import Testing

/// Randomly changed bytes in content, schemas, configurations and cells. Validation never traps or hangs, gives the
/// same result twice, counts the same findings however many are shown, and reports only places inside the text.
///
/// `FLEETKIT_FUZZ_ROUNDS` sets the number of rounds; `make fuzz-random` runs many rounds.
@Suite struct ValidateFuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let rounds = Int(environment["FLEETKIT_FUZZ_ROUNDS"] ?? "") ?? 30
  private static let seed = UInt64(environment["FLEETKIT_FUZZ_SEED"] ?? "") ?? 1

  private static let pieces = [
    "{", "}", "[", "]", "\"", ",", ":", "\\", "\\u0000", "\\ud83d\\ude00", "0", "-", "1e999", "null", "true", "\n",
    "\r\n",
    "\u{FEFF}", "\u{202E}", "e\u{301}", "⛵", "\u{0}", "7.5", "{}", "\"\"", "\t", "- ", "&a ", "*a", "# ", "[[",
    "](http://",
  ]

  private static func mutate(_ data: Data, _ random: inout SeededRandom) -> Data {
    var bytes = [UInt8](data)
    for _ in 0...random.below(6) {
      let at = random.below(bytes.count)
      switch random.below(6) {
      case 0: bytes[at] = UInt8(random.below(256))
      case 1: bytes.insert(contentsOf: random.pick(pieces).utf8, at: at)
      case 2: bytes.replaceSubrange(at..<min(bytes.count, at + 1 + random.below(6)), with: random.pick(pieces).utf8)
      case 3: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(30)))
      case 4:
        bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 1 + random.below(60))], at: random.below(at + 1))
      default: if random.below(8) == 0 { bytes.removeSubrange(max(1, at)...) }
      }
      if bytes.isEmpty { bytes = [0x7B] }
    }
    return Data(bytes)
  }

  /// Runs a validation repeatedly, compares the counts, and returns the findings.
  private static func attempt(
    _ what: String, _ run: (Int?, any FindingReport) throws -> ReportSummary
  ) throws -> [Diagnostic] {
    let clock = ContinuousClock()
    let start = clock.now
    let all = CollectingReport()
    let whole = try run(nil, all)
    let took = clock.now - start
    #expect(took < .seconds(20), "\(what) took \(took)")
    #expect(whole.hidden == 0 && whole.total == all.findings.count, "\(what)")
    for limit in [nil, 1, 3] as [Int?] {
      let report = CollectingReport()
      let summary = try run(limit, report)
      #expect(
        summary.severities == whole.severities && summary.codes == whole.codes && summary.files == whole.files
          && summary.filesWithFindings == whole.filesWithFindings && summary.records == whole.records
          && summary.status == whole.status, "\(what), at most \(limit ?? 0): \(summary.codes) and \(whole.codes)")
      let expected = all.findings.prefix(limit ?? .max).map(MarkedRun.shape)
      #expect(report.findings.map(MarkedRun.shape) == expected, "\(what), at most \(limit ?? 0)")
      #expect(summary.hidden == whole.total - report.findings.count, "\(what)")
    }
    return all.findings
  }

  private static func validation(_ path: String, _ profile: ValidationOptions.Profile, _ limit: Int?) throws
    -> ValidationRun
  {
    var options = ValidationOptions()
    options.profile = profile
    options.maxFindings = limit
    return ValidationRun(sources: try SourceList([path]), options: options)
  }

  /// Checks that every place is inside the text.
  private static func expectInside(_ findings: [Diagnostic], _ data: Data, _ what: String) {
    var bytes = [UInt8](data)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      line.count { $0 & 0xC0 != 0x80 }
    }
    for finding in findings {
      guard let line = finding.place.line else { continue }
      guard lines.indices.contains(line - 1) else {
        Issue.record("\(what): \(finding.place) of \(lines.count) lines")
        continue
      }
      // The end of a line is a valid place, too.
      let column = finding.place.column ?? 1
      #expect((1...lines[line - 1] + 1).contains(column), "\(what): \(finding.place) [\(finding.code.id)]")
      if let end = finding.place.endColumn {
        #expect(end >= column && end <= lines[line - 1] + 1, "\(what): \(finding.place)–\(end) [\(finding.code.id)]")
      }
    }
  }

  @Test(arguments: ["curated-checklists.jsonl", "crew-handbook.json"])
  func content(_ name: String) throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: Self.seed)
    let sound = try Data(contentsOf: URL(fileURLWithPath: Paths.root + "/samples/" + name))
    let path = scratch[name]
    for round in 0..<Self.rounds {
      let bytes = Self.mutate(sound, &random)
      try bytes.write(to: URL(fileURLWithPath: path))
      let what = "\(name), round \(round)"
      let profile: ValidationOptions.Profile = round % 2 == 0 ? .structure : .publish
      let findings = try Self.attempt(what) { limit, report in
        let outcome = try Self.validation(path, profile, limit).run(report: report)
        #expect(outcome.status != .internalError && outcome.fixable.count <= outcome.summary.total)
        return outcome.summary
      }
      Self.expectInside(findings, bytes, what)
    }
  }

  /// Fixed content is still valid JSON, and another run finds nothing more to fix.
  @Test func fixes() throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: Self.seed &+ 9)
    let sound = try Data(contentsOf: URL(fileURLWithPath: Paths.root + "/samples/crew-handbook.json"))
    let path = scratch["content.json"]
    for round in 0..<Self.rounds {
      try Self.mutate(sound, &random).write(to: URL(fileURLWithPath: path))
      let run = try Self.validation(path, .structure, nil)
      let errors = try run.run(report: CollectingReport()).summary.severities[.error, default: 0]
      #expect(try FixingRun(run).run().failures.isEmpty, "round \(round)")
      let after = try run.run(report: CollectingReport()).summary.severities[.error, default: 0]
      #expect(after <= errors, "round \(round): \(errors) errors, then \(after)")
      let fixed = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(try FixingRun(run).run().fixed == 0, "round \(round)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == fixed)
    }
  }

  /// Schemas that are invalid in many ways are either refused with a place or used until the end of the run.
  @Test func schemas() throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: Self.seed &+ 1)
    let seeds = try SchemaFile.names.map { try Data(contentsOf: URL(fileURLWithPath: SchemaFile.path($0))) }
    let records = try Seeds.records().filter { $0.utf8.count < 4000 }.prefix(12)
    let data = Data(records.joined(separator: "\n").utf8)
    try data.write(to: URL(fileURLWithPath: scratch["data.jsonl"]))
    var compiled = 0
    for round in 0..<Self.rounds * 4 {
      let path = scratch["schema.json"]
      try Self.mutate(random.pick(seeds), &random).write(to: URL(fileURLWithPath: path))
      let schema: FleetKit.SchemaFile
      do {
        schema = try FleetKit.SchemaFile(path, folder: SchemaFile.folder, assertsFormat: round % 2 == 0)
      } catch let failure as RunFailure {
        #expect(failure.status == .usage, "\(failure)")
        continue
      }
      compiled += 1
      let what = "schema of round \(round)"
      let findings = try Self.attempt(what) { limit, report in
        var options = ValidationOptions()
        options.maxFindings = limit
        return try SchemaValidation(schema, options: options).run([scratch["data.jsonl"]], report: report).summary
      }
      Self.expectInside(findings, data, what)
    }
    #expect(compiled > 0)
  }

  /// Documents of every kind are validated with FleetKit's own schema.
  @Test(arguments: ["data.json", "data.jsonl", "data.yaml"])
  func documents(_ name: String) throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: Self.seed &+ 2)
    let schema = try FleetKit.SchemaFile("record")
    let seeds = try Seeds.records().filter { $0.utf8.count < 4000 }
    for round in 0..<Self.rounds {
      // JSON is valid YAML, too. Some of the documents are written in YAML's own syntax.
      let text =
        name == "data.json" ? random.pick(seeds) : (0..<3).map { _ in random.pick(seeds) }.joined(separator: "\n")
      let yaml = random.pick(seeds).replacing(",\"", with: ",\n  \"")
      let bytes = Self.mutate(Data((name == "data.yaml" ? yaml : text).utf8), &random)
      try bytes.write(to: URL(fileURLWithPath: scratch[name]))
      let what = "\(name), round \(round)"
      let findings = try Self.attempt(what) { limit, report in
        var options = ValidationOptions()
        options.maxFindings = limit
        return try SchemaValidation(schema, options: options).run([scratch[name]], report: report).summary
      }
      Self.expectInside(findings, bytes, what)
    }
  }

  @Test func configurations() throws {
    var random = SeededRandom(seed: Self.seed &+ 3)
    let seed = Data(
      """
      version: 1
      profile: publish            # or structure
      fail_on: warning
      select: [all]
      ignore: [shouting-title, LNT02]
      severity: {empty-section: error, LNT0101: off}
      exclude: ["drafts/**", "a[b]?/*.json"]
      paths:
        "guides/**":
          ignore: [long-step]
      limits:
        glance_characters: 60
      words: [channel16, ж]

      """.utf8)
    let scratch = Scratch()
    let content = try scratch.write("content.json", "{\"content_type\":\"checklist\",\"title\":\"BELOW \"}")
    var read = 0
    for round in 0..<Self.rounds * 20 {
      let bytes = Self.mutate(seed, &random)
      let configuration: Configuration
      do throws(ConfigurationError) {
        configuration = try Configuration(
          parsing: [UInt8](bytes), file: ".fleetkit.yml", catalog: RuleCatalog(FindingCodes.all))
      } catch {
        #expect(!error.diagnostics.isEmpty && error.failure.status == .usage)
        Self.expectInside(error.diagnostics, bytes, "configuration of round \(round)")
        continue
      }
      read += 1
      _ = configuration.excludes(content)
      guard read % 20 == 0 else { continue }
      _ = try Self.attempt("configuration of round \(round)") { limit, report in
        var run = try Self.validation(content, read % 40 == 0 ? .publish : .structure, limit)
        run.configurations = [content: configuration]
        return try run.run(report: report).summary
      }
    }
    #expect(read > 0)
  }

  /// Only cells are damaged, while the pages are sound.
  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func cells() throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: Self.seed &+ 4)
    let cells = [
      ("checklists", "content"), ("checklists", "tags"), ("library_content", "tags"), ("library_content", "title"),
      ("practice_guides", "markdown"), ("library_content", "createdAt"), ("checklistExecutionStates", "itemStates"),
      ("sync_queue", "payload"), ("library_content", "publicMetadata"), ("charters", "startDate"),
      ("charters", "latitude"),
    ]
    for round in 0..<max(4, Self.rounds / 4) {
      let path = try scratch.writable("library-v2.2.0.sqlite", as: "x.sqlite")
      var sql = ""
      for (table, column) in cells {
        let piece = random.pick(Self.pieces).utf8.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
        let cut = random.below(300)
        sql += "UPDATE \(table) SET \(column) = substr(\(column), 1, \(cut)) || CAST(X'\(piece)' AS TEXT) || "
        sql += "substr(\(column), \(cut + random.below(4))) "
        sql += "WHERE \(column) IS NOT NULL AND rowid % \(2 + random.below(3)) = 0;\n"
      }
      _ = try SQLiteShell.run(path, sql)
      let findings = try Self.attempt("cells of round \(round)") { limit, report in
        try Self.validation(path, round % 2 == 0 ? .structure : .publish, limit).run(report: report).summary
      }
      var checked = 0
      for finding in findings where finding.place.line != nil && checked < 12 && random.below(4) == 0 {
        checked += 1
        try CellCheck.expectInside(finding, library: path)
      }
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
