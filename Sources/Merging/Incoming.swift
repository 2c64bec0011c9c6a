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

  /// The id's bytes: a UUID has no escapes.
  var id: UnsafeBufferPointer<UInt8> { node.member("id")?.inner ?? UnsafeBufferPointer(start: nil, count: 0) }
  var idText: String { node.member("id")?.string ?? "" }
  var title: String? { (node.member("title") ?? node.member("name"))?.string }
  /// Whether it is an item that the app has no table for.
  var isDeck: Bool { kind == .item && node.member("content_type")?.equals("flashcard_deck") ?? false }
}
