import Content
import Diagnostics
import FleetKit
import Foundation
import Interchange
import JSONText
import TestSupport
import Validation

/// Runs rules on records that a test contains as text.
struct TextProbe {
  /// The findings, in order.
  let findings: [Diagnostic]
  /// The edits that `--fix` would make.
  let fixes: [Fix]

  /// Checks the records in a JSON text with the rules that have the given codes, or with all lint rules if no code is
  /// given.
  init(_ json: String, _ codes: String..., limits: RuleLimits = RuleLimits()) throws {
    let scratch = Scratch()
    let path = scratch.path + "/probe.json"
    try json.write(toFile: path, atomically: true, encoding: .utf8)
    let rules = RuleSet.lint.filter { codes.isEmpty || codes.contains($0.code.id) }
    let runner = RuleRunner(rules, limits: limits)
    var entries: [RuleReport.Entry] = []
    _ = try RecordScan(sources: try SourceList([path])).run(context: RunContext(now: Timestamp(milliseconds: 0))) {
      entries += runner.check($0)
    }
    entries += runner.finish()
    findings = entries.map(\.finding)
    fixes = entries.compactMap(\.fix)
  }

  /// Checks one item whose title is `text`.
  static func title(_ text: String, _ code: String, language: String = "en") throws -> TextProbe {
    try TextProbe(
      "{\"content_type\":\"checklist\",\"language\":\(quoted(language)),\"title\":\(quoted(text)),\"content_data\":{}}",
      code)
  }

  /// Checks one guide with this body.
  static func guide(_ markdown: String, _ codes: String...) throws -> TextProbe {
    let json =
      "{\"content_type\":\"practice_guide\",\"title\":\"A guide\",\"content_data\":{\"markdown\":\(quoted(markdown))}}"
    guard let code = codes.first else { return try TextProbe(json) }
    return try TextProbe(json, code)
  }

  /// Returns the text as a JSON string.
  static func quoted(_ text: String) -> String {
    var out = ByteBuffer(capacity: text.utf8.count + 16)
    out.appendJSONString(text)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// The texts that `--fix` would write.
  var fixedTexts: [String] {
    fixes.compactMap { if case .text(let text) = $0.edit { text } else { nil } }
  }
}
