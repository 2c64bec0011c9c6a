import HTTPTypes
import JSONText
import RegistryModel

/// An item as JSON without its document and the count of its views: what stays as it is while the store holds the item,
/// and is not there already.
final class ItemText: Sendable {
  private let opening: [UInt8]
  private let middle: [UInt8]
  private let end: [UInt8]
  /// The line of an answer's head that has the entity tag.
  let fields: [UInt8]

  init(_ head: ContentHead) {
    opening = Self.bytes { $0.appendItemOpening(head) }
    middle = Self.bytes { $0.appendItemMiddle(head) }
    end = Self.bytes { $0.appendItemEnd(head) }
    fields = QuickHead.bytes([.eTag: EntityTag.text(head.digest)])
  }

  /// The text in its parts, in their order.
  func forEachPart(_ document: [UInt8], viewCount: [UInt8], _ body: ([UInt8]) -> Void) {
    body(opening)
    body(document)
    body(middle)
    body(viewCount)
    body(end)
  }

  /// Bytes of the whole text.
  func count(_ document: [UInt8], viewCount: [UInt8]) -> Int {
    opening.count + document.count + middle.count + viewCount.count + end.count
  }

  private static func bytes(_ write: (inout JSONOutput) -> Void) -> [UInt8] {
    var out = JSONOutput(capacity: 512)
    write(&out)
    return out.copy(0..<out.count)
  }
}
