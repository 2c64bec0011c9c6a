import Interchange

/// A signature as it is stored next to its file: two comments and two signatures.
///
/// The first signature covers the file. The second signature covers the first one and the trusted comment.
/// - Source: minisign's page, "Signature format"
public struct MinisignSignature: Sendable, Hashable {
  /// The data that the signature covers.
  public enum Algorithm: Sendable, Hashable {
    /// The file's BLAKE2b-512 digest, so that files of any size can be signed.
    case hashed
    /// The whole file, as in minisign before 2020.
    case legacy
  }

  /// The data that the signature covers.
  public let algorithm: Algorithm
  /// The eight bytes of the key id.
  let number: [UInt8]
  let signature: [UInt8]
  let untrustedComment: [UInt8]
  /// The signer's comment, which is signed, as bytes of the file.
  public let trustedCommentBytes: [UInt8]
  let globalSignature: [UInt8]

  /// The prefix of the first line.
  static let untrustedPrefix = "untrusted comment: "
  /// The prefix of the third line.
  static let trustedPrefix = "trusted comment: "
  /// The longest comment in bytes that minisign reads.
  static let longestComment = 1024
  /// The longest trusted comment in bytes that minisign reads.
  static let longestTrustedComment = 8192

  init(
    algorithm: Algorithm, number: [UInt8], signature: [UInt8], untrustedComment: [UInt8], trustedCommentBytes: [UInt8],
    globalSignature: [UInt8]
  ) {
    self.algorithm = algorithm
    self.number = number
    self.signature = signature
    self.untrustedComment = untrustedComment
    self.trustedCommentBytes = trustedCommentBytes
    self.globalSignature = globalSignature
  }

  /// Returns the path of a file's signature.
  public static func path(of file: String) -> String { file + ".minisig" }

  /// Reads a signature.
  /// - Throws: `RunFailure` with status 5 and the invalid line.
  public init(file path: String) throws {
    let what = "read the signature '\(path)'"
    let advice = "Get the signature again from the source of the file."
    let bytes = try MinisignLines.read(path, what: what, status: .mismatch, advice: advice)
    let lines = try MinisignLines(bytes, what: what, status: .mismatch, advice: advice)
    try lines.require(4)
    untrustedComment = try lines.comment(1, Self.untrustedPrefix, limit: Self.longestComment)
    let first = try lines.base64(2, count: 74)
    if first.starts(with: Array("ED".utf8)) {
      algorithm = .hashed
    } else if first.starts(with: Array("Ed".utf8)) {
      algorithm = .legacy
    } else {
      throw lines.failure(2, "it is not an Ed25519 signature")
    }
    number = Array(first[2..<10])
    signature = Array(first[10...])
    trustedCommentBytes = try lines.comment(3, Self.trustedPrefix, limit: Self.longestTrustedComment)
    globalSignature = try lines.base64(4, count: 64)
  }

  /// The id of the key that the signature names. Only `verify` proves that the key made the signature.
  public var keyID: String { MinisignKey.id(of: number) }

  /// The signer's comment. It is trustworthy only after `verify` has accepted the signature.
  public var trustedComment: String { String(decoding: trustedCommentBytes, as: UTF8.self) }

  /// The content of the signature's file.
  public var fileBytes: [UInt8] {
    let algorithm = Array((algorithm == .hashed ? "ED" : "Ed").utf8)
    let lines = [
      Array(Self.untrustedPrefix.utf8) + untrustedComment, StrictBase64.encode(algorithm + number + signature),
      Array(Self.trustedPrefix.utf8) + trustedCommentBytes, StrictBase64.encode(globalSignature),
    ]
    return lines.flatMap { $0 + [UInt8(ascii: "\n")] }
  }

  /// A fault in a signature.
  public enum Fault: Sendable, Hashable {
    /// The signature was made with another key.
    case otherKey
    /// The signature does not match this file.
    case otherFile
    /// The trusted comment is not the signed one.
    case otherComment
  }

  /// Verifies the signature with a key and a file.
  /// - Returns: the fault, or nil if the key's owner signed this file and this trusted comment.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read.
  public func verify(_ file: FileFingerprint, key: MinisignKey) throws -> Fault? {
    guard key.number == number else { return .otherKey }
    let signed =
      switch algorithm {
      case .hashed: file.blake2b512
      case .legacy: try file.wholeFile()
      }
    guard SignatureBackend.verify(signature, signed, key: key.ed25519) else { return .otherFile }
    guard SignatureBackend.verify(globalSignature, signature + trustedCommentBytes, key: key.ed25519) else {
      return .otherComment
    }
    return nil
  }
}
