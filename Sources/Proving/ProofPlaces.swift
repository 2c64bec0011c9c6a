import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Finds where differences lie on both sides: reads both once more, which only a proof that fails has to do.
package struct ProofPlaces {
  private let differences: [ProofDifference]
  private let source: SourceList
  private let target: SourceList
  private let reading: ProofReading
  private let naming: (path: String, name: String)?

  package init(
    _ differences: [ProofDifference], source: SourceList, target: SourceList, reading: ProofReading,
    naming: (path: String, name: String)?
  ) {
    self.naming = naming
    self.differences = differences
    self.source = source
    self.target = target
    self.reading = reading
  }

  /// The differences as findings, in the order in which they were met.
  package func findings() throws -> [Diagnostic] {
    let here = try places(in: source, \.sourceID, reading.ofSource())
    let there = try places(in: target, \.targetID, reading.ofTarget())
    return differences.indices.map { finding(differences[$0], here[$0], there[$0].map(named)) }
  }

  /// A place in the target as it is called when it has its name.
  private func named(_ place: Place) -> Place {
    guard let naming, place.file.utf8.starts(with: naming.path.utf8) else { return place }
    var place = place
    place.file = naming.name + String(decoding: place.file.utf8.dropFirst(naming.path.utf8.count), as: UTF8.self)
    return place
  }

  private var targetName: String { naming?.name ?? target.entries.first?.root ?? "the target" }

  private func places(
    in list: SourceList, _ id: KeyPath<ProofDifference, String?>, _ context: RunContext
  ) throws -> [Int: Place] {
    var wanted: [RecordSortKey: [Int]] = [:]
    for (index, difference) in differences.enumerated() {
      if let id = difference[keyPath: id] { wanted[RecordSortKey(difference.kind, id), default: []].append(index) }
    }
    guard !wanted.isEmpty else { return [:] }
    var found: [Int: Place] = [:]
    try RecordScan(sources: list).run(context: context) { record in
      for index in wanted[RecordSortKey(record.kind, record.id)] ?? [] where found[index] == nil {
        let difference = differences[index]
        let isThere = id == \.sourceID ? difference.source != nil : difference.target != nil
        // A value that is not there has no place: the one around it says where it would be.
        var path = difference.path
        if !isThere, !path.steps.isEmpty { path.steps.removeLast() }
        found[index] = record.place(at: path)
      }
    }
    return found
  }

  private func finding(_ difference: ProofDifference, _ here: Place?, _ there: Place?) -> Diagnostic {
    let id = difference.sourceID ?? difference.targetID ?? ""
    let record = "\(difference.kind.name) \(id)"
    let nowhere = Place(file: source.entries.first?.root ?? "")
    let target = there?.description ?? targetName
    guard difference.sourceID != nil else {
      return Diagnostic(
        .unprovedRecord, "\(target) has \(record), which the source does not have", at: there ?? nowhere,
        record: record, title: difference.title)
    }
    guard difference.targetID != nil else {
      return Diagnostic(
        .unprovedRecord, "\(record) is not in \(targetName)",
        at: here ?? nowhere, record: record, title: difference.title)
    }
    return Diagnostic(
      .unprovedValue,
      (difference.path.steps.isEmpty ? "" : "\(difference.path): ")
        + "\(difference.speaker) \(Self.short(difference.source)), \(target) says "
        + Self.short(difference.target), at: here ?? there ?? nowhere, record: record, title: difference.title)
  }

  /// A value as much as fits into a line.
  private static func short(_ value: String?) -> String {
    guard let value else { return "nothing" }
    guard value.unicodeScalars.count > 120 else { return value }
    return String(String.UnicodeScalarView(value.unicodeScalars.prefix(120))) + "…"
  }
}

/// A difference that nothing explains.
package struct ProofDifference {
  package let kind: RecordKind
  /// The record's id on the source's side; nil when the source does not have the record.
  package let sourceID: String?
  /// The record's id on the target's side; nil when the target does not have the record.
  package let targetID: String?
  package let title: String
  /// Where in the record; empty for the whole record.
  package let path: JSONPointer
  /// What the source says, as JSON; nil for nothing.
  package let source: String?
  /// What was read back, as JSON; nil for nothing.
  package let target: String?
  /// Who says `source`.
  package let speaker: String

  /// A difference between two records, or a record that one side does not have.
  package init(
    kind: RecordKind, sourceID: String?, targetID: String?, title: String, path: JSONPointer, source: String?,
    target: String?, speaker: String = "the source says"
  ) {
    self.kind = kind
    self.sourceID = sourceID
    self.targetID = targetID
    self.title = title
    self.path = path
    self.source = source
    self.target = target
    self.speaker = speaker
  }
}
