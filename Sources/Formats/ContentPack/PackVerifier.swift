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
    /// Remarks for the user, each as a sentence without a capital letter or a full stop.
    public var notes: [String] = []
  }

  /// Verifies the pack.
  /// - Throws: `RunFailure`: 5 if a checksum, the signature or the chain does not match, 64 if a signature is required
  ///   but the pack is a folder, 2 if the pack cannot be read.
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
      report.notes.append("it is a backup or another kind of bag, and has no name or version")
      appendNotes(on: signature, to: &report)
      return report
    }
    let pack = try PackFile(fingerprint)
    report.info = pack.info
    try signature?.requireAgreement(with: pack.info, doing: doing)
    appendNotes(on: signature, to: &report)
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

  private func appendNotes(on signature: PackSignature?, to report: inout Report) {
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

/// The chain of a pack's versions. It prevents an older version, or another file with the same version, from being
/// accepted as a new version.
public struct PackChain: Sendable {
  /// The relation of a version to the version that the user has.
  public enum Step: Sendable, Equatable {
    /// Both are the same file.
    case same
    /// The chain proves that the version is a successor of the user's version.
    case newer
  }

  /// The pack's name.
  public let name: String
  /// The version that is checked, with its file's checksum.
  public let version: PackPrevious
  /// The earlier versions, newest first. The version named in the signature comes before the versions named in the
  /// pack.
  public let ancestors: [PackPrevious]

  /// Creates a version's chain.
  public init(name: String, version: PackPrevious, ancestors: [PackPrevious]) {
    self.name = name
    self.version = version
    self.ancestors = ancestors
  }

  /// Compares the version with the version that the user has.
  /// - Parameter doing: the beginning of error messages, such as `verify 'x.fleetpack'`.
  /// - Throws: `RunFailure` with status 5 if the version is a downgrade or a fork, or if no chain links the two
  ///   versions.
  public func step(from known: PackPrevious, doing: String) throws -> Step {
    if version.version.precedes(known.version) {
      throw RunFailure(
        .mismatch,
        "\(doing): a downgrade: it is version \(version.version) of '\(name)', but you have \(known.version)",
        advice: "Get the newest version; the file may have been replaced with an old one.")
    }
    guard known.version.precedes(version.version) else {
      if known.sha256 == version.sha256 { return .same }
      throw RunFailure(
        .mismatch,
        "\(doing): a fork: another file that you have is also version \(version.version) of '\(name)'",
        advice: "Ask the publisher which of the two is correct: \(short(version)) or \(short(known)).")
    }
    if ancestors.contains(where: { isSameVersion($0, known) && $0.sha256 == known.sha256 }) { return .newer }
    if let other = ancestors.first(where: { isSameVersion($0, known) }) {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: it follows a version \(known.version) of '\(name)' that is not yours",
        advice: "Ask the publisher which of the two is correct: \(short(other)) or \(short(known)).")
    }
    guard let parent = ancestors.first else {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: it names no earlier version, but you have version \(known.version)",
        advice: "Ask the publisher to sign it with --previous.")
    }
    if parent.version.precedes(known.version) {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: the version before it is \(parent.version), which leaves out "
          + "version \(known.version), which you have",
        advice: "Ask the publisher which of the two is correct.")
    }
    var missing: [String] = []
    for ancestor in ancestors.reversed() where known.version.precedes(ancestor.version) {
      if missing.last != ancestor.version.text { missing.append(ancestor.version.text) }
    }
    throw RunFailure(
      .mismatch,
      "\(doing): nothing shows that version \(version.version) follows version \(known.version), which you have",
      advice: "First import the versions between them, in this order: \(missing.joined(separator: ", ")).")
  }

  private func isSameVersion(_ left: PackPrevious, _ right: PackPrevious) -> Bool {
    !left.version.precedes(right.version) && !right.version.precedes(left.version)
  }

  private func short(_ version: PackPrevious) -> String { "SHA-256 \(version.sha256.prefix(16))…" }
}

/// Checks that every file in a pack matches the pack's manifests.
enum PackSoundness {
  /// - Returns: the report, if the check found no errors.
  /// - Throws: `RunFailure` with status 5 that names the first error.
  @discardableResult
  static func require(_ path: String, doing: String, onProgress: ((Int, Int?) -> Void)?) throws -> BagCheck.Report {
    let report = try BagCheck(path, level: .content).run(onProgress: onProgress)
    guard let first = report.findings.first(where: { $0.severity == .error }) else { return report }
    let count = report.findings.count { $0.severity == .error }
    throw RunFailure(
      .mismatch, "\(doing): \(first.place): \(first.message)" + (count > 1 ? " (and \(count - 1) more)" : ""),
      advice: "Run 'fleetkit validate' on the pack to list all errors, then build it again.")
  }
}
