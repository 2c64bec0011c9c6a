import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Finds the places of differences on both sides by reading both sides once more. Only a failed proof needs this.
package struct ProofPlaces {
  private let differences: [ProofDifference]
  private let source: SourceList
  private let target: SourceList
  private let reading: ProofContext
  private let naming: (path: String, name: String)?

  package init(
    _ differences: [ProofDifference], source: SourceList, target: SourceList, reading: ProofContext,
    naming: (path: String, name: String)?
  ) {
    self.naming = naming
    self.differences = differences
    self.source = source
    self.target = target
    self.reading = reading
  }

  /// Returns the differences as findings, in the order in which they were found.
  package func findings() throws -> [Diagnostic] {
    let here = try places(in: source, \.sourceID, reading.ofSource())
    let there = try places(in: target, \.targetID, reading.ofTarget())
    return differences.indices.map { finding(differences[$0], here[$0], there[$0].map(named)) }
  }

  /// Returns a place in the target, under the target's final name.
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
        // If a value is missing, it has no place. The place of the value that would contain it is used instead.
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
        + "\(difference.speaker) \(Self.short(difference.source)), \(target) has "
        + Self.short(difference.target), at: here ?? there ?? nowhere, record: record, title: difference.title)
  }

  /// Returns a value, shortened to fit on a line.
  private static func short(_ value: String?) -> String {
    guard let value else { return "nothing" }
    guard value.unicodeScalars.count > 120 else { return value }
    return String(String.UnicodeScalarView(value.unicodeScalars.prefix(120))) + "…"
  }
}

/// An unexplained difference.
package struct ProofDifference {
  package let kind: RecordKind
  /// The record's id on the source's side; nil if the source does not have the record.
  package let sourceID: String?
  /// The record's id on the target's side; nil if the target does not have the record.
  package let targetID: String?
  package let title: String
  /// The path in the record; empty for the whole record.
  package let path: JSONPointer
  /// The source's value as JSON; nil if missing.
  package let source: String?
  /// The value that was read back, as JSON; nil if missing.
  package let target: String?
  /// The words that introduce `source` in a message.
  package let speaker: String

  /// Makes a difference between two records, or for a record that one side does not have.
  package init(
    kind: RecordKind, sourceID: String?, targetID: String?, title: String, path: JSONPointer, source: String?,
    target: String?, speaker: String = "the source has"
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
