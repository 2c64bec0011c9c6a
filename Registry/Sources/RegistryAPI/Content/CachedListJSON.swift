import JSONText
import RegistryModel
import RegistryStore

/// The items of a public list as JSON, with gaps for the view counts: the rest of a cached page does not change.
final class CachedListJSON: Sendable {
  private let bytes: [UInt8]
  /// The positions of the counts, in ascending order.
  private let holes: [Int]

  init(_ rows: [PublicationHead]) {
    var out = JSONOutput(capacity: 512 * rows.count + 16)
    var holes: [Int] = []
    holes.reserveCapacity(rows.count)
    for (index, head) in rows.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.appendListedOpening(head)
      holes.append(out.count)
      out.appendListedEnd(head)
    }
    bytes = out.copy(0..<out.count)
    self.holes = holes
  }

  /// The buffer capacity that the JSON and its counts need.
  var capacity: Int { bytes.count + 20 * holes.count }

  /// Writes the items of a page.
  func write(_ page: ContentPage, to out: inout JSONOutput) {
    bytes.withUnsafeBufferPointer { bytes in
      var at = 0
      for (index, hole) in holes.enumerated() {
        out.append(UnsafeBufferPointer(rebasing: bytes[at..<hole]))
        out.appendNumber(page.viewCount(at: index))
        at = hole
      }
      out.append(UnsafeBufferPointer(rebasing: bytes[at...]))
    }
  }
}
