import Foundation
import Interchange
import Minisign

/// The signature of a file, verified with trusted keys.
public struct PackSignature: Sendable {
  /// The key that signed it.
  public let key: MinisignKey
  /// The signature.
  public let signature: MinisignSignature
  /// The signed statement about the pack; nil if the program that signed it writes none.
  public let comment: SignedComment?

  /// Whether a signature file is next to a file.
  public static func exists(for file: String) -> Bool {
    var status = stat()
    // Anything under that name counts: a dangling link must not make the file count as unsigned.
    return lstat(MinisignSignature.path(of: file), &status) == 0
  }

  /// Verifies the signature next to a file.
  /// - Parameters:
  ///   - doing: the beginning of error messages: `verify 'x.fleetpack'`.
  ///   - trusted: keys, one of which must have signed it.
  /// - Throws: `RunFailure` with status 5: there is no signature, it is damaged, made with another key, or for another
  ///   file.
  public init(of file: FileFingerprint, trusted: [MinisignKey], doing: String) throws {
    let path = MinisignSignature.path(of: file.path)
    guard Self.exists(for: file.path) else {
      throw RunFailure(
        .mismatch, "\(doing): it is not signed: there is no '\(path)'",
        advice: "Put the publisher's signature next to it; it comes with the pack.")
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
        advice: "Get both again from the publisher. Until then trust neither.")
    case .otherComment:
      throw RunFailure(
        .mismatch, "\(doing): line 3 of '\(path)', the signer's statement, was changed",
        advice: "Get the signature again from the publisher.")
    }
  }

  private static func untrusted(_ id: String, _ trusted: [MinisignKey], _ doing: String) -> RunFailure {
    let howTo = "Get the key from the publisher, not from where the pack came from, and add --trust KEY."
    if trusted.isEmpty {
      return RunFailure(
        .mismatch, "\(doing): it is signed by key \(id), which you have not marked as trusted", advice: howTo)
    }
    let keys = trusted.map(\.id).joined(separator: ", ")
    return RunFailure(
      .mismatch, "\(doing): it is signed by key \(id), which is not one that you trust (\(keys))", advice: howTo)
  }

  private static func comment(_ signature: MinisignSignature, _ path: String) throws -> SignedComment? {
    do {
      return try SignedComment(parsing: signature.trustedCommentBytes)
    } catch {
      throw RunFailure(
        .mismatch, "read the signature '\(path)': line 3: \(error.reason)",
        advice: "Its signer has to sign the pack again, with 'fleetkit pack sign'.")
    }
  }

  /// Checks the signed statement against the pack's description.
  /// - Throws: `RunFailure` with status 5.
  public func requireAgreement(with info: PackInfo, doing: String) throws {
    guard let comment else { return }
    try Self.require(comment, agreesWith: info, doing: doing)
  }

  /// Reads the signature next to a file without a key to verify it, and checks its statement against the pack's
  /// description.
  ///
  /// This proves nothing. But a signature that is damaged, or belongs to another pack, shows that something is wrong.
  /// - Throws: `RunFailure` with status 5.
  public static func requirePlausible(for file: String, info: PackInfo, doing: String) throws {
    let path = MinisignSignature.path(of: file)
    guard let comment = try comment(MinisignSignature(file: path), path) else { return }
    try require(comment, agreesWith: info, doing: doing)
  }

  private static func require(_ comment: SignedComment, agreesWith info: PackInfo, doing: String) throws {
    func differ(_ what: String, _ signed: String, _ found: String) -> RunFailure {
      RunFailure(
        .mismatch, "\(doing): the signature is of \(what) \(signed), but the pack gives \(found)",
        advice: "Get both again from the publisher; the signature may be that of another version.")
    }
    guard comment.name.utf8.elementsEqual(info.name.utf8) else { throw differ("the pack", comment.name, info.name) }
    guard comment.version == info.version else {
      throw differ("version", comment.version.text, info.version?.text ?? "no version")
    }
    if let parent = info.parent, parent != comment.previous {
      throw differ(
        "a pack that follows", comment.previous?.version.text ?? "no version",
        "\(parent.version.text) as the version before"
          + (parent.version == comment.previous?.version ? ", another file" : ""))
    }
  }
}

extension PackChain {
  /// Creates the chain that a pack and its signature give; nil for a pack without a version.
  public init?(_ pack: PackFile, signed previous: PackPrevious? = nil) {
    guard let version = pack.identity else { return nil }
    self.init(
      name: pack.info.name, version: version,
      ancestors: Self.ancestors(of: pack.info, signed: previous))
  }

  /// Returns the versions before a pack, the newest first: the one in the signature, then those in the pack.
  public static func ancestors(of info: PackInfo, signed previous: PackPrevious?) -> [PackPrevious] {
    (previous.map { [$0] } ?? []) + info.previous.filter { $0 != previous }
  }
}
