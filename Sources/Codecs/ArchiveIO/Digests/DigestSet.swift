/// The checksums of one file. They take as little memory as possible, because an archive may have very many files.
struct DigestSet {
  /// The checksum of each algorithm that is present, in the order of `allCases`.
  private var bytes: [UInt8] = []
  private var mask: UInt8 = 0

  /// A checksum; nil if it was not computed.
  subscript(algorithm: DigestAlgorithm) -> [UInt8]? {
    var at = 0
    for (index, other) in DigestAlgorithm.allCases.enumerated() where mask & 1 << index != 0 {
      if other == algorithm { return Array(bytes[at..<(at + other.length)]) }
      at += other.length
    }
    return nil
  }

  /// Returns whether a file's checksum equals `digest`, or nil if it was not computed.
  func matches(_ digest: [UInt8], _ algorithm: DigestAlgorithm) -> Bool? {
    var at = 0
    for (index, other) in DigestAlgorithm.allCases.enumerated() where mask & 1 << index != 0 {
      if other == algorithm { return bytes[at..<(at + other.length)].elementsEqual(digest) }
      at += other.length
    }
    return nil
  }

  /// Adds a checksum that is not yet in the set.
  mutating func add(_ digest: [UInt8], _ algorithm: DigestAlgorithm) {
    var at = 0
    for (index, other) in DigestAlgorithm.allCases.enumerated() {
      if other == algorithm {
        bytes.insert(contentsOf: digest, at: at)
        mask |= 1 << index
        return
      }
      if mask & 1 << index != 0 { at += other.length }
    }
  }
}
