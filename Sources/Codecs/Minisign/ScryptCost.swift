/// The cost of trying one password.
///
/// A secret key's file states the cost in libsodium's units, operations and bytes, but scrypt takes N, r and p.
/// - Source: libsodium, `crypto_pwhash_scryptsalsa208sha256` and its `pickparams`
package struct ScryptCost: Sendable, Hashable {
  /// scrypt's parameters.
  package let n: UInt64, r: UInt64, p: UInt64

  /// The operations that minisign uses for new keys. A try takes a second or two, and 1 GiB of memory.
  package static let sensitiveOperations: UInt64 = 33_554_432
  /// The memory in bytes that minisign uses for new keys.
  package static let sensitiveMemory: UInt64 = 1 << 30

  /// The memory that one try takes, in bytes.
  package var memory: UInt64 { 128 * r * (n + p + 2) }

  /// Whether a file may require this cost. The limits are 2 GiB and eight times the work for a usual key.
  package var isBearable: Bool { n <= 1 << 21 && n * p <= 1 << 23 }

  /// The parameters that libsodium picks.
  package init(operations: UInt64, memory: UInt64) {
    let operations = max(operations, 32_768)
    r = 8
    let isShort = operations < memory / 32
    let most = isShort ? operations / (r * 4) : memory / (r * 128)
    var log: UInt64 = 1
    while log < 63, 1 << log <= most / 2 { log += 1 }
    n = 1 << log
    p = isShort ? 1 : min(operations / 4 / n, 0x3fff_ffff) / r
  }
}
