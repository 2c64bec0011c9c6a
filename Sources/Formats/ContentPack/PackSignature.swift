import ArchiveIO
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
        "\(parent.version.text) as its previous version"
          + (parent.version == comment.previous?.version ? ", in a different file" : ""))
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

  /// Returns the versions that precede a pack, newest first. The version named in the signature comes before the
  /// versions named in the pack.
  public static func ancestors(of info: PackInfo, signed previous: PackPrevious?) -> [PackPrevious] {
    (previous.map { [$0] } ?? []) + info.previous.filter { $0 != previous }
  }
}

/// The statement about a pack in its signature. It is the signature's trusted comment, a single line.
///
/// `fleetkit-pack name=first-charter version=1.2.0 previous=1.1.0:<sha256> file=first-charter-1.2.0.fleetpack`; the
/// first version has `previous=none`. Members may come in any order, and readers skip unknown members. Percent signs,
/// and all bytes other than visible ASCII characters, are written as `%` and two hexadecimal digits.
/// - Source: docs/signing-packs.md
public struct SignedComment: Sendable, Equatable {
  /// The pack's name.
  public var name: String
  /// The pack's version.
  public var version: SemanticVersion
  /// The previous version; nil for the first version.
  public var previous: PackPrevious?
  /// The file's name when it was signed.
  public var file: String

  /// The first word of the statement.
  public static let mark = "fleetkit-pack"

  /// Creates the statement about a pack.
  public init(name: String, version: SemanticVersion, previous: PackPrevious?, file: String) {
    self.name = name
    self.version = version
    self.previous = previous
    self.file = file
  }

  /// The error for a malformed comment that begins like a FleetKit comment.
  public struct Malformed: Error {
    /// The reason why the comment cannot be used.
    public let reason: String
  }

  /// Parses a trusted comment; returns nil if the comment was not written by FleetKit.
  /// - Throws: `Malformed` if the comment begins like a FleetKit comment and the rest is invalid.
  public init?(parsing comment: [UInt8]) throws(Malformed) {
    let words = comment.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard let first = words.first, first.elementsEqual(Self.mark.utf8) else { return nil }
    var members: [String: String] = [:]
    for word in words.dropFirst() {
      guard let sign = word.firstIndex(of: UInt8(ascii: "=")), let value = Self.unescape(word[(sign + 1)...]) else {
        throw Malformed(reason: "'\(String(decoding: word, as: UTF8.self))' is not a member with a value")
      }
      let name = String(decoding: word[..<sign], as: UTF8.self)
      if members.updateValue(value, forKey: name) != nil { throw Malformed(reason: "'\(name)' is repeated") }
    }
    guard let name = members["name"], PackName.isValid(name) else { throw Malformed(reason: "it has no name") }
    guard let version = members["version"].flatMap(SemanticVersion.init) else {
      throw Malformed(reason: "it has no version")
    }
    guard let file = members["file"], !file.isEmpty else { throw Malformed(reason: "it has no file") }
    self.init(name: name, version: version, previous: nil, file: file)
    guard let previous = members["previous"] else { throw Malformed(reason: "it has no previous version") }
    if previous.utf8.elementsEqual("none".utf8) { return }
    let parts = previous.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let former = SemanticVersion(String(parts[0])), Self.isChecksum(parts[1]) else {
      throw Malformed(reason: "'previous' is not a version and SHA-256")
    }
    self.previous = PackPrevious(version: former, sha256: String(parts[1]))
  }

  /// The statement as one line.
  public var text: String {
    let former = previous.map { "\($0.version.text):\($0.sha256)" } ?? "none"
    return "\(Self.mark) name=\(Self.escape(name)) version=\(Self.escape(version.text)) "
      + "previous=\(Self.escape(former)) file=\(Self.escape(file))"
  }

  private static func isChecksum(_ text: Substring) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func escape(_ text: String) -> String {
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unescape(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
    default: nil
    }
  }
}

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
