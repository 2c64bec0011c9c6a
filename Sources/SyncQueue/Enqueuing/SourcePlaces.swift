import Content
import Diagnostics
import Interchange

/// What is wrong with the records of a source, at their places there: what was imported from it a moment ago is in a
/// library now, but people edit the source.
///
/// Memory grows with what is wrong, not with the source. Used by one thread.
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

  /// Looks at a record of a source.
  package func look(at record: Record) throws {
    guard record.kind == .item, record.batch.parsed(record.index) != nil else { return }
    // Which slug it gets is not a question of what is wrong with it.
    let slug = PublicSlug.make(record.title, digits: "00000000")
    let findings = try check.check(record, publicID: slug, now: now).findings
    if !findings.isEmpty { found[record.id, default: []] += findings }
  }

  /// Takes note that the library has a record of the source under another id.
  package func rename(_ source: String, to id: String) { ids[id] = source }

  /// A finding about an item of the library at its place in the source, where the source says the same.
  func placed(_ finding: Diagnostic, of id: String) -> Diagnostic {
    let source = ids[id] ?? id
    guard let known = found[source],
      let index = known.firstIndex(where: { $0.code == finding.code && $0.message == finding.message })
    else { return finding }
    let one = known[index]
    // The same sentence about two steps has two places.
    found[source]?.remove(at: index)
    return Diagnostic(
      finding.code, finding.message, at: one.place, record: finding.record, title: finding.title,
      severity: finding.severity, fix: finding.fix, why: finding.why, label: finding.label, excerpt: one.excerpt)
  }
}
