import FleetKitCore

/// What a record is known by while versions are walked side by side: its kind and its id, compared as bytes.
///
/// In the order of kinds; numbers of sync operations come in the order of their values.
struct RecordSortKey: Comparable, Hashable {
  private let bytes: [UInt8]

  init(_ kind: RecordKind, _ id: String) {
    var bytes: [UInt8] = [UInt8(truncatingIfNeeded: kind.rank)]
    bytes.append(contentsOf: kind.name.utf8)
    bytes.append(0)
    if kind == .syncOperation, Int64(id) != nil {
      bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, 20 - id.utf8.count)))
    }
    bytes.append(contentsOf: id.utf8)
    self.bytes = bytes
  }

  static func < (left: RecordSortKey, right: RecordSortKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
