import Content
import Diagnostics
import JSONText

/// A record on its way into a library. Its memory belongs to a batch or a spool; valid while that does not move.
struct Incoming {
  /// Where a record comes from.
  enum Origin {
    /// A batch that is read now.
    /// - Parameter isRegistry: whether it has no lines that a place could name.
    case batch(Record, isRegistry: Bool)
    /// A spool: what its source knew of it beyond its line has been read.
    case staged(Place)
  }

  let kind: RecordKind
  let node: JSONNode
  /// The canonical line.
  let line: UnsafeBufferPointer<UInt8>
  /// SHA-256 of the line, where it was hashed ahead.
  var hash: [UInt8]?
  /// The record as the source wrote it; empty for sources that are not text.
  let original: UnsafeBufferPointer<UInt8>
  /// The ledger's number of its file.
  let file: Int64
  let origin: Origin
  /// The source, and the id there, under which an earlier import brought it; nil where both are the same as now.
  var former: (source: Int64, id: String)?
  /// How many rows of a table it was made of; 0 where records are not rows.
  var rows = 0
  /// The members that its source can express; nil for all.
  var said: SaidSource?
  /// How much of its steps or cards it contains.
  var extent = StepPlan.Extent.whole

  /// Where it is in the source.
  func place() -> Place {
    switch origin {
    case .batch(let record, let isRegistry): isRegistry ? Place(file: record.place().file) : record.place()
    case .staged(let place): place
    }
  }

  /// The file that it is in, as findings name it.
  var fileName: String {
    switch origin {
    case .batch(let record, _): record.batch.locator.file(of: record)
    case .staged(let place): place.file
    }
  }

  /// What FleetKit wrote last to its place; nil where that is unknown, or no longer kept.
  func lastWritten() -> LastWritten? {
    guard kind == .item, case .batch(let record, _) = origin else { return nil }
    return record.lastWritten
  }

  /// Where the bytes of an attachment are; nil where the source does not have them.
  func mediaPath() -> String? {
    guard kind == .attachment, case .batch(let record, _) = origin else { return nil }
    return record.mediaPath
  }

  /// The rows that it was made of, as they were typed; nil where records are not rows, or no longer kept.
  func originalRows() -> OriginalRows? {
    guard rows > 0, case .batch(let record, _) = origin else { return nil }
    return record.originalRows
  }

  /// The rows that it goes on without; nil where they are unknown, or no longer kept.
  func lostRows() -> LostRows? {
    guard kind == .item, case .batch(let record, _) = origin, record.slot.isPartial else { return nil }
    return record.lostRows
  }

  /// Whether it is rows that were rejected before, and nothing else of its checklist.
  var isRetried: Bool { if case .some = extent { true } else { false } }
  /// The id's bytes: a UUID has no escapes.
  var id: UnsafeBufferPointer<UInt8> { node.member("id")?.inner ?? UnsafeBufferPointer(start: nil, count: 0) }
  var idText: String { node.member("id")?.string ?? "" }
  var title: String? { (node.member("title") ?? node.member("name"))?.string }
  /// The kind of content of an item; nil for other records.
  var contentType: String? { kind == .item ? node.member("content_type")?.string : nil }
  /// Whether it is an item that the app has no table for.
  var isDeck: Bool { kind == .item && node.member("content_type")?.equals("flashcard_deck") ?? false }
  /// How findings call it.
  var name: String { "\(kind.name) \(idText)" }

  /// When a record was changed last, as it says itself.
  static func changed(_ node: JSONNode) -> Timestamp? {
    guard let value = node.member("updated_at") ?? node.member("last_updated"), value.kind == .string else {
      return nil
    }
    return Timestamp.parse(value.inner)?.0
  }
}
