import Content
import JSONText

/// Where a record stands in a bundle: charters, items, executions, operations, the rest; each by id.
struct BundleKey: Comparable {
  let rank: Int
  /// The kind's name for kinds that share a rank.
  let kind: String
  /// Operations count by number.
  let number: Int64
  let id: [UInt8]

  init(kind: RecordKind, line: UnsafeBufferPointer<UInt8>) {
    rank = kind.rank
    self.kind = kind.isKnown ? "" : kind.name
    let range = RecordLine.idRange(of: line)
    id = range.map { Array(line[$0]) } ?? []
    number = kind == .syncOperation ? Int64(String(decoding: id, as: UTF8.self)) ?? .max : 0
  }

  static func < (left: BundleKey, right: BundleKey) -> Bool {
    if left.rank != right.rank { return left.rank < right.rank }
    if left.kind != right.kind { return left.kind < right.kind }
    if left.number != right.number { return left.number < right.number }
    return left.id.lexicographicallyPrecedes(right.id)
  }
}

extension BundleKey {
  /// Whether a record of the same kind with the given id stands at or behind this one; compares in place.
  @inline(__always)
  func isFollowed(byID next: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = min(id.count, next.count)
    var index = 0
    while index < count {
      if id[index] != next[index] { return id[index] < next[index] }
      index += 1
    }
    return id.count <= next.count
  }
}
