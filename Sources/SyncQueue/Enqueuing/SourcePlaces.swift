import Content
import Diagnostics
import Interchange

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

  /// Checks a record of a source.
  package func look(at record: Record) throws {
    guard record.kind == .item, record.batch.parsed(record.index) != nil else { return }
    // The slug does not affect the findings.
    let slug = PublicSlug.make(record.title, digits: "00000000")
    let findings = try check.check(record, publicID: slug, now: now).findings
    if !findings.isEmpty { found[record.id, default: []] += findings }
  }

  /// Records that a source record has another id in the library.
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
