import FleetKitCore
import Validation

/// Where a reader of libraries and a rule find the same mistake: the rule says where exactly, so the reader is silent.
///
/// Readers speak when they come to a row or later, never before. Memory grows only with rows that such a rule spoke of.
struct SpokenRecords {
  /// The rules that say the same as a reader's code.
  private static let rules: [DiagnosticCode: Set<String>] = [
    .duplicateItemID: ["LNT0102"],
    .payloadUndecodable: ["PUB0101", "PUB0102", "PUB0117", "PUB0118"],
    .payloadMissing: ["PUB0119"],
    .payloadNotForkable: ["PUB0118"],
    .metadataWithoutBody: ["PUB0102"],
  ]
  private static let all = rules.values.reduce(into: Set<String>()) { $0.formUnion($1) }

  private var file = ""
  /// The rules that spoke, by the row's id.
  private var spoken: [String: Set<String>] = [:]

  /// Takes note of what rules said about a record.
  mutating func note(_ codes: [DiagnosticCode], _ record: Record) {
    let own = codes.lazy.map(\.id).filter(Self.all.contains)
    guard !own.isEmpty, let row = record.place().row else { return }
    begin(record.batch.locator.file(of: record))
    spoken[row.id, default: []].formUnion(own)
  }

  /// Whether a rule has said what a reader says.
  mutating func covers(_ finding: Diagnostic) -> Bool {
    guard let row = finding.place.row, let rules = Self.rules[finding.code] else { return false }
    begin(finding.place.file)
    return !(spoken[row.id]?.isDisjoint(with: rules) ?? true)
  }

  /// Files are read one after the other.
  private mutating func begin(_ file: String) {
    guard self.file != file else { return }
    self.file = file
    spoken.removeAll()
  }
}
