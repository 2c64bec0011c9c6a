import Content
import Diagnostics
import JSONText

/// A record on its way into a library. Its memory belongs to a batch or a spool and is valid until that moves.
struct SourceRecord {
  /// Where a record comes from.
  enum Origin {
    /// A batch that is being read.
    /// - Parameter isRegistry: whether it comes from a registry and has no lines for places.
    case batch(Record, isRegistry: Bool)
    /// A spool. Everything that the source had in addition to the line was read before.
    case staged(Place)
  }

  let kind: RecordKind
  let node: JSONNode
  /// The canonical line.
  let line: UnsafeBufferPointer<UInt8>
  /// SHA-256 of the line, if it was computed ahead.
  var hash: [UInt8]?
  /// The record in the bytes of its source; empty for sources that are not text.
  let original: UnsafeBufferPointer<UInt8>
  /// The number of its file in the ledger.
  let file: Int64
  let origin: Origin
  /// The source and the id under which an earlier import added it; nil if both are the same as now.
  var former: (source: Int64, id: String)?
  /// The number of its table rows; 0 for records that are not rows.
  var rows = 0
  /// The members that its source can express; nil for all.
  var said: CoverageKey?
  /// How much of its steps or cards it contains.
  var extent = StepPlan.Extent.whole

  /// Returns its place in the source.
  func place() -> Place {
    switch origin {
    case .batch(let record, let isRegistry): isRegistry ? Place(file: record.place().file) : record.place()
    case .staged(let place): place
    }
  }

  /// The name of its file in findings.
  var fileName: String {
    switch origin {
    case .batch(let record, _): record.batch.locator.file(of: record)
    case .staged(let place): place.file
    }
  }

  /// Returns what FleetKit last wrote at its place; nil if unknown or no longer kept.
  func lastWritten() -> LastWritten? {
    guard kind == .item, case .batch(let record, _) = origin else { return nil }
    return record.lastWritten
  }

  /// Returns the path of an attachment's bytes; nil if the source does not have them.
  func mediaPath() -> String? {
    guard kind == .attachment, case .batch(let record, _) = origin else { return nil }
    return record.mediaPath
  }

  /// Returns its table rows as they were typed; nil for records that are not rows, or if no longer kept.
  func originalRows() -> OriginalRows? {
    guard rows > 0, case .batch(let record, _) = origin else { return nil }
    return record.originalRows
  }

  /// Returns the rows that are missing in it; nil if they are unknown or no longer kept.
  func lostRows() -> LostRows? {
    guard kind == .item, case .batch(let record, _) = origin, record.slot.isPartial else { return nil }
    return record.lostRows
  }

  /// Whether it consists of rows that were rejected before, without the rest of its checklist.
  var isRetried: Bool { if case .some = extent { true } else { false } }
  /// The id's bytes. A UUID has no escapes.
  var id: UnsafeBufferPointer<UInt8> { node.member("id")?.inner ?? UnsafeBufferPointer(start: nil, count: 0) }
  var idText: String { node.member("id")?.string ?? "" }
  var title: String? { (node.member("title") ?? node.member("name"))?.string }
  /// The kind of content of an item; nil for other records.
  var contentType: String? { kind == .item ? node.member("content_type")?.string : nil }
  /// Whether it is an item for which the app has no table.
  var isDeck: Bool { kind == .item && node.member("content_type")?.equals("flashcard_deck") ?? false }
  /// Its name in findings.
  var name: String { "\(kind.name) \(idText)" }

  /// Returns the time of a record's last change, according to the record.
  static func changed(_ node: JSONNode) -> Timestamp? {
    guard let value = node.member("updated_at") ?? node.member("last_updated"), value.kind == .string else {
      return nil
    }
    return Timestamp.parse(value.inner)?.0
  }
}
