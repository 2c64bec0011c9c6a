import HTTPTypes
import JSONText
import RegistryModel

/// An item as JSON without its document and its view count: the fragments that do not change while the store has the
/// item in memory, and that are not stored in this form.
final class CachedItemJSON: Sendable {
  private let opening: [UInt8]
  private let middle: [UInt8]
  private let end: [UInt8]
  /// The header line with the entity tag.
  let fields: [UInt8]

  init(_ head: PublicationHead) {
    opening = Self.bytes { $0.appendItemOpening(head) }
    middle = Self.bytes { $0.appendItemMiddle(head) }
    end = Self.bytes { $0.appendItemEnd(head) }
    fields = QuickHead.bytes([.eTag: EntityTag.text(head.digest)])
  }

  /// Calls `body` with the fragments of the JSON in their order.
  func forEachPart(_ document: [UInt8], viewCount: [UInt8], _ body: ([UInt8]) -> Void) {
    body(opening)
    body(document)
    body(middle)
    body(viewCount)
    body(end)
  }

  /// Returns the number of bytes of the whole JSON.
  func count(_ document: [UInt8], viewCount: [UInt8]) -> Int {
    opening.count + document.count + middle.count + viewCount.count + end.count
  }

  private static func bytes(_ write: (inout JSONOutput) -> Void) -> [UInt8] {
    var out = JSONOutput(capacity: 512)
    write(&out)
    return out.copy(0..<out.count)
  }
}
