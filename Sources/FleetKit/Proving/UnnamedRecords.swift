import FleetKitCore
import Interchange
import JSONText

/// Matches records whose target has no place for their ids, or does not say them: by kind, type and title.
///
/// Only targets that say no id of a record get a chance here: in all others another id is a difference. Sorted on
/// disk, like everything that a proof looks at.
final class UnnamedRecords {
  /// Whether no record of the target has an id of its own.
  private let isAll: Bool
  private let sources = ExternalSorter<RecordSortKey>(key: UnnamedRecords.key)
  private let targets = ExternalSorter<RecordSortKey>(key: UnnamedRecords.key)

  /// Prepares.
  /// - Parameter isAll: whether the target's format has no ids at all.
  init(isAll: Bool) { self.isAll = isAll }

  /// Whether a record comes from a note, or a folder of cards, that says no id.
  private static func isUnnamed(_ line: [UInt8]) -> Bool {
    guard let note = (try? JSONDocument(parsing: line))?.root["extras"]?["markdown"] else { return false }
    return note["derived_id"]?.bool == true || note["cards"] != nil
  }

  /// Whether a record of the source may be one that the target says no id of; it is kept then.
  func keep(_ source: SortedRecords.Entry, _ lost: ProofLosses.OfRecord) throws -> Bool {
    guard source.kind == .item, isAll ? lost.explains([.member("id")]) : Self.isUnnamed(source.line) else {
      return false
    }
    // The losses go along, behind the record: they come in the order of ids.
    var line = ByteBuffer(capacity: source.line.count + 64)
    line.append("{\"record\":")
    source.line.withUnsafeBufferPointer { line.append($0) }
    line.append(",\"lost\":[")
    for (index, field) in lost.fields.sorted(by: { $0.lexicographicallyPrecedes($1) }).enumerated() {
      if index > 0 { line.append(",") }
      line.appendJSONString(String(decoding: field, as: UTF8.self))
    }
    line.append("]}")
    try sources.add(line.bytes)
    return true
  }

  /// Whether the target says no id of a record; it is kept then.
  func keep(_ target: SortedRecords.Entry) throws -> Bool {
    guard target.kind == .item, isAll || Self.isUnnamed(target.line) else { return false }
    try target.line.withUnsafeBufferPointer { try targets.add($0) }
    return true
  }

  /// Hands out pairs, and what has no partner.
  func match(
    pair: (SortedRecords.Entry, SortedRecords.Entry, ProofLosses.OfRecord) throws -> Void,
    onlySource: (SortedRecords.Entry) throws -> Void, onlyTarget: (SortedRecords.Entry) throws -> Void
  ) throws {
    try sources.sort()
    try targets.sort()
    var a = try nextSource()
    var b = try nextTarget()
    while a != nil || b != nil {
      if let source = a, b.map({ source.entry.key < $0.key }) ?? true {
        try onlySource(source.entry)
        a = try nextSource()
      } else if let target = b, a.map({ target.key < $0.entry.key }) ?? true {
        try onlyTarget(target)
        b = try nextTarget()
      } else if let source = a, let target = b {
        try pair(source.entry, target, source.lost)
        a = try nextSource()
        b = try nextTarget()
      }
    }
  }

  private func nextSource() throws -> (entry: SortedRecords.Entry, lost: ProofLosses.OfRecord)? {
    guard let line = try sources.next() else { return nil }
    let root = try JSONDocument(parsing: line).root
    let record = Array((root["record"]?.text ?? "").utf8)
    var lost = ProofLosses.OfRecord()
    for field in root["lost"]?.elements ?? [] { lost.fields.insert(Array((field.string ?? "").utf8)) }
    return (Self.entry(record, Self.key(of: line)), lost)
  }

  private func nextTarget() throws -> SortedRecords.Entry? {
    guard let line = try targets.next() else { return nil }
    return Self.entry(Array(line), Self.key(of: line))
  }

  private static func entry(_ line: [UInt8], _ key: RecordSortKey) -> SortedRecords.Entry {
    line.withUnsafeBufferPointer {
      SortedRecords.Entry(key: key, kind: .item, id: RecordLine.id(of: $0) ?? "", line: line)
    }
  }

  /// Type and title; of the title only letters and digits, because it may have been a file's name.
  private static func key(of line: UnsafeBufferPointer<UInt8>) -> RecordSortKey {
    let parsed = (try? JSONDocument(parsing: line))?.root
    let root = parsed?["record"] ?? parsed
    let title = (root?["title"]?.string ?? "").unicodeScalars.filter(\.properties.isAlphabetic)
    return RecordSortKey(
      RecordKind(root?["content_type"]?.string ?? ""),
      String(String.UnicodeScalarView(title.prefix(40))))
  }
}
