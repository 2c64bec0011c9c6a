/// Recognizes public keys that no honest key generator makes and that accept forged signatures.
///
/// Multiples of points of order 1, 2, 4 or 8 reach the neutral point, so a signature that was made without a secret is
/// valid for every message, or for one message in eight. A key whose y coordinate is not reduced is a second encoding
/// of another key. minisign rejects both kinds of keys.
/// - Source: RFC 8032, sections 5.1.3 and 8.4; libsodium, `ge25519_has_small_order` and `ge25519_is_canonical`; D. J.
///   Bernstein et al., "Ed25519: high-speed high-security signatures"
enum Ed25519KeyCheck {
  /// The y coordinates of the eight points of small order, without the sign of x. Each value except 1 and -1 belongs to
  /// two points.
  private static let smallOrder: [[UInt8]] = [
    // 1, the neutral point, order 1
    [1] + [UInt8](repeating: 0, count: 31),
    // p - 1, order 2
    [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    // 0, order 4, twice
    [UInt8](repeating: 0, count: 32),
    // order 8, twice each
    [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
      0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
    ],
    [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
      0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
    ],
  ]

  /// Returns the reason why a key is not acceptable, or nil if it is.
  static func problem(_ key: [UInt8]) -> String? {
    guard key.count == 32 else { return "it does not have 32 bytes" }
    var y = key
    // The highest bit is the sign of x. It is cleared because both signs are equally unsafe.
    y[31] &= 0x7F
    // p is 2^255 - 19.
    if y[31] == 0x7F, y[1..<31].allSatisfy({ $0 == 0xFF }), y[0] >= 0xED {
      return "its y coordinate must be below 2^255 - 19"
    }
    return smallOrder.contains(y) ? "it is a point of small order, which accepts forged signatures" : nil
  }
}
