/// Computes an unkeyed BLAKE2b digest of up to 64 bytes from data that arrives in pieces.
///
/// The checksum in a secret key has 32 bytes, but libcrypto 3.0 supports only 64 bytes, and CryptoKit lacks BLAKE2b.
/// Shorter digests are not prefixes of longer ones, because the length is part of the initial state.
/// - Source: RFC 7693
package struct Blake2b {
  private var state: [UInt64]
  private var block = [UInt8](repeating: 0, count: blockBytes)
  private var used = 0
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private let length: Int

  private static let blockBytes = 128

  private static let start: [UInt64] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
  ]

  /// The message word that each step of a round uses. Rounds 10 and 11 repeat rounds 0 and 1.
  private static let schedule: [[Int]] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
  ]

  /// Creates a digest.
  /// - Parameter length: the length of the digest in bytes, 1 to 64.
  package init(length: Int) {
    precondition((1...64).contains(length))
    self.length = length
    state = Self.start
    state[0] ^= 0x0101_0000 ^ UInt64(length)
  }

  /// Returns the digest of a complete array of bytes.
  package static func hash(_ bytes: [UInt8], length: Int) -> [UInt8] {
    var hash = Blake2b(length: length)
    hash.update(bytes.span)
    return hash.finish()
  }

  /// Adds bytes to the digest.
  package mutating func update(_ bytes: Span<UInt8>) {
    for at in bytes.indices {
      // The last block is processed differently, so a full block waits until another byte arrives.
      if used == Self.blockBytes {
        count(Self.blockBytes)
        compress(isLast: false)
        used = 0
      }
      block[used] = bytes[at]
      used += 1
    }
  }

  /// Returns the digest. No bytes may be added afterwards.
  package mutating func finish() -> [UInt8] {
    count(used)
    for index in used..<Self.blockBytes { block[index] = 0 }
    compress(isLast: true)
    return (0..<length).map { UInt8(truncatingIfNeeded: state[$0 / 8] >> (8 * UInt64($0 % 8))) }
  }

  private mutating func count(_ bytes: Int) {
    let (sum, overflow) = low.addingReportingOverflow(UInt64(bytes))
    low = sum
    if overflow { high &+= 1 }
  }

  private mutating func compress(isLast: Bool) {
    var words = [UInt64](repeating: 0, count: 16)
    for index in 0..<16 {
      var word: UInt64 = 0
      for byte in (0..<8).reversed() { word = word << 8 | UInt64(block[index * 8 + byte]) }
      words[index] = word
    }
    var v = state + Self.start
    v[12] ^= low
    v[13] ^= high
    if isLast { v[14] = ~v[14] }
    for round in 0..<12 {
      let order = Self.schedule[round % 10]
      Self.mix(&v, 0, 4, 8, 12, words[order[0]], words[order[1]])
      Self.mix(&v, 1, 5, 9, 13, words[order[2]], words[order[3]])
      Self.mix(&v, 2, 6, 10, 14, words[order[4]], words[order[5]])
      Self.mix(&v, 3, 7, 11, 15, words[order[6]], words[order[7]])
      Self.mix(&v, 0, 5, 10, 15, words[order[8]], words[order[9]])
      Self.mix(&v, 1, 6, 11, 12, words[order[10]], words[order[11]])
      Self.mix(&v, 2, 7, 8, 13, words[order[12]], words[order[13]])
      Self.mix(&v, 3, 4, 9, 14, words[order[14]], words[order[15]])
    }
    for index in 0..<8 { state[index] ^= v[index] ^ v[index + 8] }
  }

  @inline(__always)
  private static func mix(_ v: inout [UInt64], _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ x: UInt64, _ y: UInt64) {
    v[a] = v[a] &+ v[b] &+ x
    v[d] = rotated(v[d] ^ v[a], 32)
    v[c] = v[c] &+ v[d]
    v[b] = rotated(v[b] ^ v[c], 24)
    v[a] = v[a] &+ v[b] &+ y
    v[d] = rotated(v[d] ^ v[a], 16)
    v[c] = v[c] &+ v[d]
    v[b] = rotated(v[b] ^ v[c], 63)
  }

  @inline(__always)
  private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word >> bits | word << (64 - bits) }
}
