import Content

/// Random bytes for keys and tokens, from the operating system's generator.
enum SecretBytes {
  /// Returns `count` unguessable bytes.
  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Returns the SHA-256 of a string.
  static func sha256(_ text: String) -> [UInt8] { sha256(Array(text.utf8)) }

  /// Returns the SHA-256 of bytes.
  static func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBufferPointer { Digest.sha256($0) } }
}
