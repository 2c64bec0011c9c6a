import Foundation
import Interchange
import Minisign

/// Who signed a file, proved with keys that somebody trusts.
public struct PackSignature: Sendable {
  /// The key that signed it.
  public let key: MinisignKey
  /// The signature.
  public let signature: MinisignSignature
  /// What it says about the pack; nil when it was made by a program that says nothing about packs.
  public let comment: SignedComment?

  /// Whether a signature lies beside a file.
  public static func exists(for file: String) -> Bool {
    var status = stat()
    // Whatever stands under that name: a link to nowhere is no reason to take the file for unsigned.
    return lstat(MinisignSignature.path(of: file), &status) == 0
  }

  /// Proves the signature beside a file.
  /// - Parameters:
  ///   - doing: what errors begin with: `verify 'x.fleetpack'`.
  ///   - trusted: keys one of which must have signed it.
  /// - Throws: `RunFailure` with status 5: there is none, it is damaged, of another key, or not of this file.
  public init(of file: FileFingerprint, trusted: [MinisignKey], doing: String) throws {
    let path = MinisignSignature.path(of: file.path)
    guard Self.exists(for: file.path) else {
      throw RunFailure(
        .mismatch, "\(doing): it is not signed: there is no '\(path)'",
        advice: "Put the publisher's signature beside it; it comes with the pack.")
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
        "\(doing): the signature '\(path)' is not of this file: the file was changed, or the signature is another one's",
        advice: "Get both again from the publisher. Until then trust neither.")
    case .otherComment:
      throw RunFailure(
        .mismatch, "\(doing): line 3 of '\(path)', what the signer says, was changed",
        advice: "Get the signature again from the publisher.")
    }
  }

  private static func untrusted(_ id: String, _ trusted: [MinisignKey], _ doing: String) -> RunFailure {
    let howTo = "Get the publisher's key from the publisher, not from where the pack came from, and say --trust KEY."
    if trusted.isEmpty {
      return RunFailure(
        .mismatch, "\(doing): it is signed by key \(id), which you have not said to trust", advice: howTo)
    }
    let keys = trusted.map(\.id).joined(separator: ", ")
    return RunFailure(
      .mismatch, "\(doing): it is signed by key \(id), which is none that you trust (\(keys))", advice: howTo)
  }

  private static func comment(_ signature: MinisignSignature, _ path: String) throws -> SignedComment? {
    do {
      return try SignedComment(parsing: signature.trustedCommentBytes)
    } catch {
      throw RunFailure(
        .mismatch, "read the signature '\(path)': line 3: \(error.reason)",
        advice: "Its signer has to sign the pack anew, with 'fleetkit pack sign'.")
    }
  }

  /// Holds what the signature says against what the pack says.
  /// - Throws: `RunFailure` with status 5.
  public func requireAgreement(with info: PackInfo, doing: String) throws {
    guard let comment else { return }
    try Self.require(comment, agreesWith: info, doing: doing)
  }

  /// Reads the signature beside a file that no key proves, and holds what it says against what the pack says.
  ///
  /// It proves nothing; but one that is damaged, or another pack's, is a sign that something is wrong.
  /// - Throws: `RunFailure` with status 5.
  public static func requirePlausible(for file: String, info: PackInfo, doing: String) throws {
    let path = MinisignSignature.path(of: file)
    guard let comment = try comment(MinisignSignature(file: path), path) else { return }
    try require(comment, agreesWith: info, doing: doing)
  }

  private static func require(_ comment: SignedComment, agreesWith info: PackInfo, doing: String) throws {
    func differ(_ what: String, _ signed: String, _ said: String) -> RunFailure {
      RunFailure(
        .mismatch, "\(doing): the signature is of \(what) \(signed), and the pack says \(said)",
        advice: "Get both again from the publisher; the signature may be that of another version.")
    }
    guard comment.name.utf8.elementsEqual(info.name.utf8) else { throw differ("the pack", comment.name, info.name) }
    guard comment.version == info.version else {
      throw differ("version", comment.version.text, info.version?.text ?? "no version")
    }
    if let parent = info.parent, parent != comment.previous {
      throw differ(
        "one that follows", comment.previous?.version.text ?? "none",
        "that it follows \(parent.version.text)\(parent.version == comment.previous?.version ? ", another file" : "")")
    }
  }
}

extension PackChain {
  /// The chain that a pack shows by itself and by its signature; nil for a pack without a version.
  public init?(_ pack: PackFile, signed previous: PackPrevious? = nil) {
    guard let version = pack.identity else { return nil }
    self.init(
      name: pack.info.name, version: version,
      ancestors: Self.ancestors(of: pack.info, signed: previous))
  }

  /// What came before a pack, the newest first: what the signature says, then what the pack says.
  public static func ancestors(of info: PackInfo, signed previous: PackPrevious?) -> [PackPrevious] {
    (previous.map { [$0] } ?? []) + info.previous.filter { $0 != previous }
  }
}
