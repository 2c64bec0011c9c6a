/// The checksums of one file, in as little memory as there is: an archive may have very many files.
struct DigestSet {
  /// For each algorithm in the order of `allCases` that is there: its bytes.
  private var bytes: [UInt8] = []
  private var mask: UInt8 = 0

  /// Takes or gives a checksum; nil when it was not made.
  subscript(algorithm: DigestAlgorithm) -> [UInt8]? {
    var at = 0
    for (index, other) in DigestAlgorithm.allCases.enumerated() where mask & 1 << index != 0 {
      if other == algorithm { return Array(bytes[at..<(at + other.length)]) }
      at += other.length
    }
    return nil
  }

  /// Whether a checksum was made and is this one; nil when it was not made.
  func matches(_ digest: [UInt8], _ algorithm: DigestAlgorithm) -> Bool? {
    var at = 0
    for (index, other) in DigestAlgorithm.allCases.enumerated() where mask & 1 << index != 0 {
      if other == algorithm { return bytes[at..<(at + other.length)].elementsEqual(digest) }
      at += other.length
    }
    return nil
  }

  /// Adds a checksum that is not there yet.
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
