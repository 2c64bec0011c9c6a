import Content
import Diagnostics
import FleetKit
import Interchange
import TestSupport
import Validation

/// Runs rules on records as people write them, and collects the findings.
struct RuleRun {
  private(set) var entries: [RuleReport.Entry] = []
  private(set) var rejected = 0

  /// Reads each text as a separate file, in order.
  /// - Parameter names: the names of the files; required for more than one text.
  init(
    _ texts: [String], as names: [String] = ["records.json"], rules: [String], limits: RuleLimits = RuleLimits(),
    wants: @escaping (DiagnosticCode, Severity, Record?) -> Bool = { _, _, _ in true }
  ) throws {
    let scratch = Scratch()
    var paths: [String] = []
    for (index, text) in texts.enumerated() { paths.append(try scratch.write(names[index], text)) }
    try self.init(paths: paths, rules: rules, limits: limits, wants: wants)
  }

  /// Reads files.
  init(
    paths: [String], rules: [String], limits: RuleLimits = RuleLimits(),
    wants: @escaping (DiagnosticCode, Severity, Record?) -> Bool = { _, _, _ in true }
  ) throws {
    let chosen = RuleSet.all.filter { rules.isEmpty || rules.contains($0.code.id) }
    let runner = RuleRunner(chosen, limits: limits, wants: wants)
    let context = RunContext(now: Timestamp(milliseconds: 0))
    var found: [RuleReport.Entry] = []
    rejected = try RecordScan(sources: try SourceList(paths)).run(context: context) { found += runner.check($0) }
    entries = found + runner.finish()
  }

  /// The findings as `LNT0204 /content_data/sections/0/items/2/title`, in the order in which they are reported.
  var shapes: [String] { entries.map { "\($0.finding.code.id) \($0.finding.place.pointer)" } }

  /// The edits that `--fix` would make, in the order in which they are reported.
  var edits: [Edit?] { entries.map { $0.fix?.edit } }

  /// The messages of the findings.
  var messages: [String] { entries.map(\.finding.message) }
}

/// Record texts for tests.
enum Made {
  /// Returns a UUID that ends in a number.
  static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return "3F2A0001-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// Returns a checklist of one section with these steps, each given as a JSON object.
  static func checklist(_ steps: [String], title: String = "Engine", section: String = "Cold", more: String = "")
    -> String
  {
    """
    {"content_type":"checklist","title":"\(title)","content_data":{\(more)"sections":[{"title":"\(section)",\
    "items":[\(steps.joined(separator: ","))]}]}}
    """
  }
}
