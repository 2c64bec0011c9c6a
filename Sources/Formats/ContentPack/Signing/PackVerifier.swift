import ArchiveIO
import Foundation
import Interchange
import Minisign

/// Verifies that a pack was signed by a trusted key, was not changed, and follows the version that the user has.
///
/// The signature over the whole file is verified first, so that unverified content is never unpacked. Then every
/// checksum inside the pack is verified.
/// ```swift
/// var verifier = PackVerifier("first-charter.fleetpack")
/// verifier.trusted = [try MinisignKey("publisher.pub")]
/// let report = try verifier.run()
/// ```
public struct PackVerifier {
  /// The path of the pack.
  public let path: String
  /// The trusted keys, one of which must have signed the pack; empty if no signature is required.
  public var trusted: [MinisignKey] = []
  /// The file of the version that the user has.
  public var previous: String?
  /// Called at intervals with the bytes read and the total.
  public var onProgress: ((Int, Int?) -> Void)?

  /// Prepares the verification of a pack.
  public init(_ path: String) { self.path = path }

  /// The result of the verification.
  public struct Report: Sendable {
    /// The verified signature; nil if the pack is not signed.
    public var signature: PackSignature?
    /// The pack's description; nil for another program's bag.
    public var info: PackInfo?
    /// The SHA-256 of the file, in lower-case hexadecimal digits; nil for a folder.
    public var sha256: String?
    /// The pack's relation to the version that the user has; nil if no such version was given.
    public var step: PackChain.Step?
    /// The result of checking the bag's manifests.
    public var bag: BagCheck.Report
    /// Remarks for the user, each as a sentence without capital letter and full stop.
    public var notes: [String] = []
  }

  /// Verifies the pack.
  /// - Throws: `RunFailure`: 5 if a checksum, the signature or the chain does not match, 64 if a signature is required
  ///   of a folder, 2 if the pack cannot be read.
  public func run() throws -> Report {
    let doing = "verify '\(path)'"
    if Self.isFolder(path) { return try verifyFolder(doing) }
    let fingerprint = try FileFingerprint(path, onProgress: onProgress)
    let isSigned = !trusted.isEmpty || PackSignature.exists(for: path)
    let signature = isSigned ? try PackSignature(of: fingerprint, trusted: trusted, doing: doing) : nil
    let bag = try PackSoundness.require(path, doing: doing, onProgress: onProgress)
    var report = Report(signature: signature, sha256: fingerprint.sha256, bag: bag)
    try fingerprint.requireUnchanged()
    let hasInfo = try PackFile.info(of: path) != nil
    guard hasInfo || previous != nil || signature?.comment != nil else {
      report.notes.append("it is a backup or another kind of bag, without a name and a version")
      note(signature, &report)
      return report
    }
    let pack = try PackFile(fingerprint)
    report.info = pack.info
    try signature?.requireAgreement(with: pack.info, doing: doing)
    note(signature, &report)
    if let previous { report.step = try step(from: previous, to: pack, signature, doing) }
    return report
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private func verifyFolder(_ doing: String) throws -> Report {
    guard trusted.isEmpty, previous == nil else {
      throw RunFailure(
        .usage, "\(doing): it is a folder, which cannot have a signature or a position in a chain",
        advice: "Verify the file from which it was unpacked.")
    }
    var report = Report(bag: try PackSoundness.require(path, doing: doing, onProgress: onProgress))
    report.info = try PackFile.info(of: path)
    report.notes.append("not signed")
    return report
  }

  private func note(_ signature: PackSignature?, _ report: inout Report) {
    guard let signature else {
      report.notes.append("not signed")
      return
    }
    if signature.signature.algorithm == .legacy {
      report.notes.append("the signature is in the legacy format, which does not hash the file first")
    }
    guard let comment = signature.comment else {
      report.notes.append("the signature does not include the name and version")
      return
    }
    let name = URL(fileURLWithPath: path).lastPathComponent
    if !comment.file.utf8.elementsEqual(name.utf8) {
      report.notes.append("its name was '\(comment.file)' when it was signed")
    }
  }

  private func step(
    from previous: String, to pack: PackFile, _ signature: PackSignature?, _ doing: String
  ) throws -> PackChain.Step {
    let old = try PackFile(previous)
    if let signature, signature.comment == nil {
      throw RunFailure(
        .mismatch,
        "\(doing): its signature does not include the name and version, so its position in the chain is unproven",
        advice: "Ask the publisher to sign it with 'fleetkit pack sign'.")
    }
    guard old.info.name.utf8.elementsEqual(pack.info.name.utf8), let known = old.identity,
      let chain = PackChain(pack, signed: signature?.comment?.previous)
    else {
      throw RunFailure(
        .mismatch, "\(doing): '\(previous)' belongs to the pack '\(old.info.name)', not to '\(pack.info.name)'",
        advice: "Give the path of an earlier version.")
    }
    if !trusted.isEmpty, PackSignature.exists(for: previous) {
      _ = try PackSignature(
        of: old.fingerprint, trusted: trusted, doing: "\(doing): the version that you have, '\(previous)'")
    }
    return try chain.step(from: known, doing: doing)
  }
}
