import Content
import Diagnostics
import JSONText

/// A record on its way into a library. Its memory belongs to a batch or a spool, and is valid until the batch or spool
/// moves on.
struct SourceRecord {
  /// The origin of a record.
  enum Origin {
    /// A batch that is being read.
    /// - Parameter isRegistry: whether the record comes from a registry, so that its place has no line.
    case batch(Record, isRegistry: Bool)
    /// A spool. Everything that the source had in addition to the line has already been read.
    case staged(Place)
  }

  let kind: RecordKind
  let node: JSONNode
  /// The canonical line.
  let line: UnsafeBufferPointer<UInt8>
  /// The SHA-256 of the line, if it was computed ahead.
  var hash: [UInt8]?
  /// The record's bytes in its source; empty for sources that are not text.
  let original: UnsafeBufferPointer<UInt8>
  /// The number of the record's file in the ledger.
  let file: Int64
  let origin: Origin
  /// The source and the id that an earlier import added the record under; nil if both are unchanged.
  var former: (source: Int64, id: String)?
  /// The number of the record's table rows; 0 for records that are not rows.
  var rows = 0
  /// The members that the source can express; nil for all.
  var said: CoverageKey?
  /// How much of its steps or cards the record contains.
  var extent = StepPlan.Extent.whole

  /// Returns the record's place in the source.
  func place() -> Place {
    switch origin {
    case .batch(let record, let isRegistry): isRegistry ? Place(file: record.place().file) : record.place()
    case .staged(let place): place
    }
  }

  /// The name of the record's file in findings.
  var fileName: String {
    switch origin {
    case .batch(let record, _): record.batch.locator.file(of: record)
    case .staged(let place): place.file
    }
  }

  /// Returns what FleetKit last wrote at the record's place; nil if this is unknown or no longer kept.
  func lastWritten() -> LastWritten? {
    guard kind == .item, case .batch(let record, _) = origin else { return nil }
    return record.lastWritten
  }

  /// Returns the path of an attachment's bytes; nil if the source does not have them.
  func mediaPath() -> String? {
    guard kind == .attachment, case .batch(let record, _) = origin else { return nil }
    return record.mediaPath
  }

  /// Returns the record's table rows as they were typed; nil for records that are not rows, or if the rows are no
  /// longer kept.
  func originalRows() -> OriginalRows? {
    guard rows > 0, case .batch(let record, _) = origin else { return nil }
    return record.originalRows
  }

  /// Returns the rows that are missing in the record; nil if they are unknown or no longer kept.
  func lostRows() -> LostRows? {
    guard kind == .item, case .batch(let record, _) = origin, record.slot.isPartial else { return nil }
    return record.lostRows
  }

  /// Whether the record consists of rows that were rejected before, without the rest of its checklist.
  var isRetried: Bool { if case .some = extent { true } else { false } }
  /// The bytes of the id. A UUID has no escapes.
  var id: UnsafeBufferPointer<UInt8> { node.member("id")?.inner ?? UnsafeBufferPointer(start: nil, count: 0) }
  var idText: String { node.member("id")?.string ?? "" }
  var title: String? { (node.member("title") ?? node.member("name"))?.string }
  /// The kind of content of an item; nil for other records.
  var contentType: String? { kind == .item ? node.member("content_type")?.string : nil }
  /// Whether the record is an item for which the app has no table.
  var isDeck: Bool { kind == .item && node.member("content_type")?.equals("flashcard_deck") ?? false }
  /// The record's name in findings.
  var name: String { "\(kind.name) \(idText)" }

  /// Returns the time of the last change that a record contains.
  static func changed(_ node: JSONNode) -> Timestamp? {
    guard let value = node.member("updated_at") ?? node.member("last_updated"), value.kind == .string else {
      return nil
    }
    return Timestamp.parse(value.inner)?.0
  }
}
