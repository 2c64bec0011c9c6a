import ArchiveIO
import Foundation
import Interchange
import Minisign

/// Signs a pack: checks that the pack is intact, then writes `<file>.minisig` next to it.
///
/// ```swift
/// let key = try MinisignSecretKey.read("publisher.key") { nil }
/// let signed = try PackSigner("first-charter.fleetpack", key: key).run()
/// ```
public struct PackSigner {
  /// The path of the pack's file.
  public let path: String
  /// The publisher's key.
  public let key: MinisignSecretKey
  /// The file of the previous version; nil to use the version that the pack names.
  public var previous: String?
  /// Other keys that may have signed the previous version, for a publisher who has changed keys.
  public var trusted: [MinisignKey] = []
  /// Called at intervals with the bytes read and the total.
  public var onProgress: ((Int, Int?) -> Void)?

  /// Prepares a signature.
  public init(_ path: String, key: MinisignSecretKey) {
    self.path = path
    self.key = key
  }

  /// The result of signing.
  public struct Report: Sendable {
    /// The path of the signature file.
    public let path: String
    /// The signed pack.
    public let pack: PackFile
    /// The signed statement.
    public let comment: SignedComment
    /// Whether the previous version has no signature.
    public let isPreviousUnsigned: Bool
  }

  /// Checks and signs the pack. An existing signature is replaced; any other file with the signature's name is left
  /// unchanged.
  /// - Throws: `RunFailure`: 64 for a folder or a pack without a version, 5 if the pack is not intact or does not
  ///   follow the previous version, 4 if a file with the signature's name is not a signature.
  public func run() throws -> Report {
    let doing = "sign '\(path)'"
    let fingerprint = try FileFingerprint(path, onProgress: onProgress)
    try PackSoundness.require(path, doing: doing, onProgress: onProgress)
    let pack = try PackFile(fingerprint)
    guard let version = pack.identity else {
      throw RunFailure(
        .usage, "\(doing): a pack with the profile '\(pack.info.profile.rawValue)' has no version to sign",
        advice: "To sign any file, use minisign: minisign -S -m FILE.")
    }
    var isPreviousUnsigned = false
    if let previous { isPreviousUnsigned = try check(previous: previous, of: pack, version, doing) }
    let former = try previous.map { try PackFile($0) }?.identity ?? pack.info.parent
    let comment = SignedComment(
      name: pack.info.name, version: version.version, previous: former,
      file: URL(fileURLWithPath: path).lastPathComponent)
    let signature = try key.sign(fingerprint, trustedComment: comment.text)
    let target = MinisignSignature.path(of: path)
    if PackSignature.exists(for: path), (try? MinisignSignature(file: target)) == nil {
      throw RunFailure(
        .refused, "\(doing): '\(target)' already exists and is not a signature", advice: "Move it away first.")
    }
    try fingerprint.requireUnchanged()
    try KeyFile.write(signature.fileBytes, to: target, mode: 0o644, overwrites: true)
    return Report(path: target, pack: pack, comment: comment, isPreviousUnsigned: isPreviousUnsigned)
  }

  /// - Returns: whether the previous version is unsigned.
  private func check(
    previous path: String, of pack: PackFile, _ version: PackPrevious, _ doing: String
  ) throws -> Bool {
    let old = try PackFile(path)
    guard old.info.name.utf8.elementsEqual(pack.info.name.utf8), let former = old.identity else {
      throw RunFailure(
        .mismatch, "\(doing): '\(path)' belongs to the pack '\(old.info.name)', not to '\(pack.info.name)'",
        advice: "Give the path of the previous version.")
    }
    guard former.version.precedes(version.version) else {
      throw RunFailure(
        .mismatch, "\(doing): version \(version.version) does not follow \(former.version), the version of '\(path)'",
        advice: "Build the pack with a higher version.")
    }
    if let parent = pack.info.parent, parent != former {
      throw RunFailure(
        .mismatch,
        "\(doing): the pack does not follow '\(path)', but another file: \(parent.version) with SHA-256 "
          + "\(parent.sha256.prefix(16))…",
        advice: "Build it with --previous, or give the file that it was built with.")
    }
    guard PackSignature.exists(for: path) else { return true }
    _ = try PackSignature(
      of: old.fingerprint, trusted: [key.publicKey] + trusted, doing: "\(doing): the previous version, '\(path)'")
    return false
  }
}
