import Foundation
import Interchange

/// A public key in minisign's format: two bytes for the algorithm, eight for the key id, and thirty-two for the Ed25519
/// key.
public struct MinisignKey: Sendable, Hashable {
  /// The key id as minisign shows it, but with leading zeros: sixteen hexadecimal digits in upper case.
  public let id: String
  /// The 42 bytes of the file's second line.
  public let bytes: [UInt8]

  static let count = 42

  /// The 32 bytes of the Ed25519 key.
  var ed25519: [UInt8] { Array(bytes[10...]) }
  /// The eight bytes of the key id.
  var number: [UInt8] { Array(bytes[2..<10]) }

  init(number: [UInt8], ed25519: [UInt8]) {
    id = Self.id(of: number)
    bytes = Array("Ed".utf8) + number + ed25519
  }

  /// Creates a key from the bytes of the file's second line. Returns nil if they are not a key.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.count, bytes.starts(with: Array("Ed".utf8)) else { return nil }
    self.bytes = bytes
    id = Self.id(of: Array(bytes[2..<10]))
  }

  private static let distrust = "No legitimate program makes such a key. Do not trust its source."

  /// Reads a key from a key file, or from the base64 text of the file's second line.
  /// - Throws: `RunFailure` with status 64 if it is neither, or if the key accepts forged signatures.
  public init(_ fileOrText: String) throws {
    if let bytes = StrictBase64.decode(Array(fileOrText.utf8)), let key = MinisignKey(bytes: bytes) {
      if let problem = Ed25519KeyCheck.problem(key.ed25519) {
        throw RunFailure(.usage, "read the public key '\(fileOrText)': \(problem)", advice: Self.distrust)
      }
      self = key
    } else {
      self = try MinisignKey(file: fileOrText)
    }
  }

  /// Reads a key's file.
  /// - Throws: `RunFailure` with status 64 and the line if the file is not a key file, or if the key accepts forged
  ///   signatures.
  public init(file path: String) throws {
    let what = "read the public key '\(path)'"
    let advice = "A key is a file that 'fleetkit pack keygen' or 'minisign -G' wrote, or the second line of that file."
    let bytes = try MinisignLines.read(path, what: what, status: .usage, advice: advice)
    let lines = try MinisignLines(bytes, what: what, status: .usage, advice: advice)
    try lines.require(2)
    _ = try lines.comment(1, MinisignSignature.untrustedPrefix, limit: MinisignSignature.longestComment)
    // A secret key that was specified by mistake is distinguished from a damaged public key.
    if (try? lines.base64(2, count: MinisignSecretKey.count)) != nil {
      throw RunFailure(
        .usage, "\(what): this is a secret key",
        advice: "Use the public key, whose name ends in .pub, and keep this file secret.")
    }
    guard let key = MinisignKey(bytes: try lines.base64(2, count: Self.count)) else {
      throw lines.failure(2, "it is not an Ed25519 key")
    }
    if let problem = Ed25519KeyCheck.problem(key.ed25519) {
      throw RunFailure(.usage, "\(what): line 2: \(problem)", advice: Self.distrust)
    }
    self = key
  }

  /// The key as a line of base64.
  public var text: String { String(decoding: StrictBase64.encode(bytes), as: UTF8.self) }

  /// The content of the key's file.
  public var fileText: String {
    // minisign drops leading zeros here.
    let digits = id.drop { $0 == "0" }
    return "\(MinisignSignature.untrustedPrefix)minisign public key \(digits.isEmpty ? "0" : digits)\n\(text)\n"
  }

  /// Returns a key id as people see it: the eight bytes as a little-endian number.
  static func id(of number: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF")
    return String(number.reversed().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

/// The paths of the two files of a new key: the secret key and the public key.
public struct MinisignKeyPair: Sendable {
  /// The path of the secret key's file.
  public let secret: String
  /// The path of the public key's file.
  public let `public`: String

  /// Sets the paths of both files.
  public init(secret: String, public: String) {
    self.secret = secret
    self.public = `public`
  }

  /// Derives the paths from a name: `NAME.key` and `NAME.pub`, or `minisign.key` and `minisign.pub` in a folder.
  public init(named name: String) {
    var status = stat()
    let isFolder = stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    var stem = name
    if name.utf8.last == UInt8(ascii: "/") {
      stem = name + "minisign"
    } else if isFolder {
      stem = name + "/minisign"
    } else if name.hasSuffix(".key") || name.hasSuffix(".pub") {
      stem = String(name.dropLast(4))
    }
    self.init(secret: stem + ".key", public: stem + ".pub")
  }

  /// Makes a key and writes both files. Afterwards, either both files exist or neither does.
  /// - Parameter password: protects the secret key; nil leaves it unencrypted.
  /// - Returns: the public key.
  /// - Throws: `RunFailure` with status 4 if one of the files already exists, 2 if the files cannot be written.
  public func generate(password: [UInt8]?) throws -> MinisignKey {
    for path in [secret, `public`] where access(path, F_OK) == 0 {
      throw RunFailure(
        .refused, "make a key: '\(path)' already exists",
        advice: "Choose another name. A lost secret key cannot be recovered, so keys are never overwritten.")
    }
    let key = MinisignSecretKey()
    try key.write(to: secret, password: password)
    do {
      try key.publicKey.write(to: `public`)
    } catch {
      unlink(secret)
      throw error
    }
    return key.publicKey
  }
}

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

/// Writes key files and signature files.
package enum KeyFile {
  /// Writes a new file. An existing file is overwritten only if `overwrites` is true.
  /// - Throws: `RunFailure` with status 4 if the path already exists, 2 if the file cannot be written.
  package static func write(_ bytes: [UInt8], to path: String, mode: mode_t, overwrites: Bool = false) throws {
    let file = try AtomicFile(path, overwrites: overwrites)
    // The mode must be set before the first byte of a secret is written.
    guard fchmod(file.descriptor, mode) == 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Foundation.write(file.descriptor, $0.baseAddress, $0.count) }
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
      rest = rest.dropFirst(sent)
    }
    try file.publish()
  }
}

extension MinisignKey {
  /// Writes the key's file. An existing file is never overwritten.
  /// - Throws: `RunFailure` with status 4 if the path already exists, 2 if the file cannot be written.
  public func write(to path: String) throws { try KeyFile.write(Array(fileText.utf8), to: path, mode: 0o644) }
}
