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
