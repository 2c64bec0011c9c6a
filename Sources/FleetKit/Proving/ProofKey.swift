import FleetKitCore

/// What a record is known by while two sides are walked: its kind and its id, compared as bytes.
struct ProofKey: Comparable, Hashable {
  private let bytes: [UInt8]

  init(_ kind: RecordKind, _ id: String) {
    var bytes: [UInt8] = [UInt8(truncatingIfNeeded: kind.rank)]
    bytes.append(contentsOf: kind.name.utf8)
    bytes.append(0)
    bytes.append(contentsOf: id.utf8)
    self.bytes = bytes
  }

  static func < (left: ProofKey, right: ProofKey) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}
