import Content
import Diagnostics
import JSONText

/// A record on its way into a library. Its memory belongs to a batch or a spool; valid while that holds still.
struct Incoming {
  let kind: RecordKind
  let node: JSONNode
  /// The canonical line.
  let line: UnsafeBufferPointer<UInt8>
  /// The record as the source wrote it; empty for sources that are no text.
  let original: UnsafeBufferPointer<UInt8>
  /// The ledger's number of the file that it stands in.
  let file: Int64
  /// Where it stands in the source.
  let place: () -> Place
  /// Where the bytes of an attachment lie, when the source has them.
  var media: String?
  /// What the library has under its id, where that was looked up ahead; nil where nobody has looked.
  var found: Found?
  /// What FleetKit wrote last where it stands; nil where nobody remembers, or it was read long ago.
  var lastWritten: () -> LastWritten? = { nil }
  /// The source, and the id there, under which an earlier import brought it; nil where both are the same as now.
  var former: (source: Int64, id: String)?
  /// How many rows of a table it was made of; 0 where records are no rows.
  var rows = 0
  /// What becomes of them if it is written.
  var delta = RowDelta()
  /// The members that its source can say; nil for all.
  var said: SaidSource?
  /// How much of its steps or cards it says.
  var extent = StepPlan.Extent.whole
  /// Whether it is rows that were rejected before, and nothing else of its checklist.
  var isRetried: Bool { if case .some = extent { true } else { false } }
  /// The rows that it was made of, as they were typed; nil where records are no rows, or were read long ago.
  var originalRows: () -> OriginalRows? = { nil }
  /// The rows that it goes on without; nil where nobody knows them any more.
  var lostRows: () -> LostRows? = { nil }

  /// What the library has under the id of a record, as it was before the run.
  enum Found {
    case nothing
    /// Its canonical line.
    case line(UnsafeBufferPointer<UInt8>)
  }

  /// The id's bytes: a UUID has no escapes.
  var id: UnsafeBufferPointer<UInt8> { node.member("id")?.inner ?? UnsafeBufferPointer(start: nil, count: 0) }
  var idText: String { node.member("id")?.string ?? "" }
  var title: String? { (node.member("title") ?? node.member("name"))?.string }
  /// Whether it is an item that the app has no table for.
  var isDeck: Bool { kind == .item && node.member("content_type")?.equals("flashcard_deck") ?? false }
}
