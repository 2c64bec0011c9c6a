import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import Validation

/// Checks whether an item may be published: checks the item's structure and the publish rules, and then does the same
/// for the payload that would be sent.
///
/// Use one check per thread.
final class ItemCheck {
  private let structure: StructureCheck
  private let runner: RuleRunner
  let writer: PayloadWriter

  init() throws {
    structure = try StructureCheck()
    runner = RuleRunner(RuleSet.publish)
    writer = try PayloadWriter()
  }

  /// The findings in the order of the checks, and the payload if there were no errors.
  struct Result {
    var findings: [Diagnostic]
    var payload: PublishPayload?

    var isValid: Bool { payload != nil && !findings.contains { $0.severity == .error } }
  }

  /// Checks a record of a batch.
  /// - Parameters:
  ///   - publicID: the slug that the item has or will get.
  ///   - now: the value of the times that the item does not have.
  func check(_ record: Record, publicID: String, now: Timestamp) throws -> Result {
    var result = Result(findings: [])
    guard let node = record.batch.parsed(record.index) else { return result }
    let name = "\(record.kind.name) \(record.id)"
    let title = node.member("title")?.string
    func report(
      _ code: DiagnosticCode, _ message: String, _ pointer: JSONPointer, severity: Severity? = nil, fix: String? = nil,
      why: String? = nil
    ) {
      let located = record.locate(pointer)
      result.findings.append(
        Diagnostic(
          code, message, at: located.place, record: name, title: title, severity: severity, fix: fix, why: why,
          excerpt: located.excerpt))
    }
    for violation in try structure.violations(of: node, kind: record.kind) {
      report(
        SchemaCodes.code(ofKeyword: violation.keyword), violation.message, violation.pointer, fix: violation.fix)
    }
    result.findings += runner.check(record).map(\.finding)
    // A problem with the item is also one with its payload; report it once.
    var reported = Set(result.findings.map { Said($0.code, $0.message) })
    switch try writer.payload(of: node, publicID: publicID, now: now) {
    case .refused(let findings):
      if result.findings.contains(where: { $0.severity == .error }) { return result }
      for finding in findings {
        let code = DiagnosticCode(
          finding.code, finding.code.lowercased(), .error, finding.message, why: finding.why, fix: finding.fix)
        report(code, finding.message, finding.pointer, fix: finding.fix, why: finding.why)
      }
    case .written(let payload):
      let document = try JSONDocument(parsing: payload.text)
      for problem in PublishCheck.problems(inPayload: document.root)
      where reported.insert(Said(problem.code, problem.message)).inserted {
        report(problem.code, problem.message, problem.pointer, severity: problem.severity, fix: problem.fix)
      }
      result.payload = payload
    }
    return result
  }

  private struct Said: Hashable {
    let code: DiagnosticCode
    let message: String

    init(_ code: DiagnosticCode, _ message: String) {
      self.code = code
      self.message = message
    }
  }
}

/// Maps findings about imported items to their places in the source: the items are now in a library, but the source is
/// what people edit.
///
/// Memory grows with the number of findings, not with the source. Not thread-safe.
package final class SourcePlaces {
  private let check: ItemCheck
  private let now: Timestamp
  private var found: [String: [Diagnostic]] = [:]
  private var ids: [String: String] = [:]

  /// Compiles the schemas.
  package init(now: Timestamp) throws {
    self.now = now
    check = try ItemCheck()
  }

  /// Checks a record of a source and stores its findings.
  package func collectFindings(of record: Record) throws {
    guard record.kind == .item, record.batch.parsed(record.index) != nil else { return }
    // The slug does not affect the findings.
    let slug = PublicSlug.make(record.title, digits: "00000000")
    let findings = try check.check(record, publicID: slug, now: now).findings
    if !findings.isEmpty { found[record.id, default: []] += findings }
  }

  /// Records that a source record has a different id in the library.
  package func rename(_ source: String, to id: String) { ids[id] = source }

  /// Returns a finding about a library item with its place in the source, if the source has the same problem.
  func placed(_ finding: Diagnostic, of id: String) -> Diagnostic {
    let source = ids[id] ?? id
    guard let known = found[source],
      let index = known.firstIndex(where: { $0.code == finding.code && $0.message == finding.message })
    else { return finding }
    let one = known[index]
    // The same message about two steps belongs to two places.
    found[source]?.remove(at: index)
    return Diagnostic(
      finding.code, finding.message, at: one.place, record: finding.record, title: finding.title,
      severity: finding.severity, fix: finding.fix, why: finding.why, label: finding.label, excerpt: one.excerpt)
  }
}
