import Foundation
import Interchange
import Minisign

/// A file's signature, verified with trusted keys.
public struct PackSignature: Sendable {
  /// The key that signed the file.
  public let key: MinisignKey
  /// The signature.
  public let signature: MinisignSignature
  /// The signed statement about the pack; nil if the signing program did not write one.
  public let comment: SignedComment?

  /// Whether a file has a signature file next to it.
  public static func exists(for file: String) -> Bool {
    var status = stat()
    // Any directory entry with that name counts, so that a dangling link does not make the file appear unsigned.
    return lstat(MinisignSignature.path(of: file), &status) == 0
  }

  /// Verifies the signature next to a file.
  /// - Parameters:
  ///   - doing: the beginning of error messages, such as `verify 'x.fleetpack'`.
  ///   - trusted: the trusted keys, one of which must have signed the file.
  /// - Throws: `RunFailure` with status 5 if the signature is missing, is damaged, was made with another key, or
  ///   belongs to another file.
  public init(of file: FileFingerprint, trusted: [MinisignKey], doing: String) throws {
    let path = MinisignSignature.path(of: file.path)
    guard Self.exists(for: file.path) else {
      throw RunFailure(
        .mismatch, "\(doing): it is not signed: '\(path)' does not exist",
        advice: "Put the publisher's signature file, which comes with the pack, next to it.")
    }
    let signature = try MinisignSignature(file: path)
    var fault = MinisignSignature.Fault.otherKey
    for key in trusted {
      guard let found = try signature.verify(file, key: key) else {
        self.key = key
        self.signature = signature
        comment = try Self.comment(signature, path)
        return
      }
      if found != .otherKey { fault = found }
    }
    switch fault {
    case .otherKey: throw Self.untrusted(signature.keyID, trusted, doing)
    case .otherFile:
      throw RunFailure(
        .mismatch,
        "\(doing): the signature '\(path)' does not match this file: the file was changed, or the signature belongs to "
          + "another file",
        advice: "Get both again from the publisher. Until then, trust neither.")
    case .otherComment:
      throw RunFailure(
        .mismatch, "\(doing): line 3 of '\(path)', the signer's statement, was changed",
        advice: "Get the signature again from the publisher.")
    }
  }

  private static func untrusted(_ id: String, _ trusted: [MinisignKey], _ doing: String) -> RunFailure {
    let howTo = "Get the key from the publisher, not from the pack's source, and add --trust KEY."
    if trusted.isEmpty {
      return RunFailure(
        .mismatch, "\(doing): it is signed by key \(id), which is not a trusted key", advice: howTo)
    }
    let keys = trusted.map(\.id).joined(separator: ", ")
    return RunFailure(
      .mismatch, "\(doing): it is signed by key \(id), which is not among your trusted keys (\(keys))", advice: howTo)
  }

  private static func comment(_ signature: MinisignSignature, _ path: String) throws -> SignedComment? {
    do {
      return try SignedComment(parsing: signature.trustedCommentBytes)
    } catch {
      throw RunFailure(
        .mismatch, "read the signature '\(path)': line 3: \(error.reason)",
        advice: "Ask the signer to sign the pack again with 'fleetkit pack sign'.")
    }
  }

  /// Checks the signed statement against the pack's description.
  /// - Throws: `RunFailure` with status 5.
  public func requireAgreement(with info: PackInfo, doing: String) throws {
    guard let comment else { return }
    try Self.require(comment, agreesWith: info, doing: doing)
  }

  /// Reads the signature next to a file without verifying it with a key, and checks the signature's statement against
  /// the pack's description.
  ///
  /// This check does not authenticate the pack, but it detects a signature that is damaged or belongs to another pack.
  /// - Throws: `RunFailure` with status 5.
  public static func requirePlausible(for file: String, info: PackInfo, doing: String) throws {
    let path = MinisignSignature.path(of: file)
    guard let comment = try comment(MinisignSignature(file: path), path) else { return }
    try require(comment, agreesWith: info, doing: doing)
  }

  private static func require(_ comment: SignedComment, agreesWith info: PackInfo, doing: String) throws {
    func differ(_ what: String, _ signed: String, _ found: String) -> RunFailure {
      RunFailure(
        .mismatch, "\(doing): the signature is for \(what) \(signed), but the pack has \(found)",
        advice: "Get both again from the publisher; the signature may belong to another version.")
    }
    guard comment.name.utf8.elementsEqual(info.name.utf8) else { throw differ("the pack", comment.name, info.name) }
    guard comment.version == info.version else {
      throw differ("version", comment.version.text, info.version?.text ?? "no version")
    }
    if let parent = info.parent, parent != comment.previous {
      throw differ(
        "a pack that follows", comment.previous?.version.text ?? "no version",
        "\(parent.version.text) as the version before"
          + (parent.version == comment.previous?.version ? ", but another file" : ""))
    }
  }
}

extension PackChain {
  /// Creates the chain from a pack and its signature; returns nil for a pack without a version.
  public init?(_ pack: PackFile, signed previous: PackPrevious? = nil) {
    guard let version = pack.identity else { return nil }
    self.init(
      name: pack.info.name, version: version,
      ancestors: Self.ancestors(of: pack.info, signed: previous))
  }

  /// Returns the versions before a pack, newest first: the one in the signature, followed by those in the pack.
  public static func ancestors(of info: PackInfo, signed previous: PackPrevious?) -> [PackPrevious] {
    (previous.map { [$0] } ?? []) + info.previous.filter { $0 != previous }
  }
}
