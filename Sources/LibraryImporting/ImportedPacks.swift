import ContentPack
import Diagnostics
import Foundation
import Interchange
import Minisign
import RecordSources
import SQLiteLibrary

/// The packs among the sources of an import: who signed them, and whether they follow the imported versions.
///
/// If trusted keys are given, each pack must be signed with one of them, which is verified before the library is
/// opened. If no keys are given, a pack whose last version was signed must be signed with the same key.
struct ImportedPacks {
  /// One pack.
  private struct Arrival {
    /// The path of the source as the user named it.
    let path: String
    /// The pack's information. A pack without a version, such as a backup, is not part of a chain.
    let info: PackInfo?
    /// The fingerprint of the file; nil for a folder.
    let file: FileFingerprint?
    /// The verified signature, if any.
    var signature: PackSignature?

    var doing: String { "import '\(path)'" }
  }

  private let trusted: [MinisignKey]
  private var arrivals: [Arrival] = []

  /// Examines the packs among sources without writing anything.
  /// - Throws: `RunFailure`: 5 if a pack is not signed with one of the keys, 64 if keys are given but the sources
  ///   contain no pack.
  init(_ sources: SourceList, trusted: [MinisignKey]) throws {
    self.trusted = trusted
    for entry in sources.entries where entry.format.descriptor.id == .pack {
      arrivals.append(try Self.arrival(entry, trusted))
    }
    if arrivals.isEmpty, !trusted.isEmpty {
      throw RunFailure(
        .usage, "import: --trust is for packs, and there is no pack among the sources", advice: "Remove --trust.")
    }
  }

  private static func arrival(_ entry: SourceList.Entry, _ trusted: [MinisignKey]) throws -> Arrival {
    let path = entry.source.path
    let doing = "import '\(path)'"
    if entry.source.isStandardInput || isFolder(path) {
      guard trusted.isEmpty else {
        throw RunFailure(
          .mismatch, "\(doing): it is not signed: only packs that are files can be signed",
          advice: "Import the pack as a file.")
      }
      return Arrival(path: path, info: entry.source.isStandardInput ? nil : try PackFile.info(of: path), file: nil)
    }
    let file = try FileFingerprint(path)
    var arrival = Arrival(path: path, info: nil, file: file)
    // This must come before the pack is unpacked.
    if !trusted.isEmpty { arrival.signature = try PackSignature(of: file, trusted: trusted, doing: doing) }
    return Arrival(path: path, info: try PackFile.info(of: path), file: file, signature: arrival.signature)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns, for each source, a function that opens its reader. A pack must still be the same file when it is
  /// unpacked.
  func guarding(_ sources: SourceList, context: RunContext) -> [@Sendable () throws -> any ContentReader] {
    let files = arrivals.compactMap(\.file)
    return zip(sources.entries, sources.readers(context: context)).map { entry, open in
      guard let file = files.first(where: { $0.path.utf8.elementsEqual(entry.source.path.utf8) }) else { return open }
      return {
        let reader = try open()
        try file.requireUnchanged()
        return reader
      }
    }
  }

  /// Compares the packs with those that were imported into the library before.
  /// - Returns: the packs to remember after the import.
  /// - Throws: `RunFailure` with status 5 for a downgrade, a fork, or a key that is not trusted.
  func check(against store: StateStore, context: RunContext) throws -> [StateStore.KnownPack] {
    var found: [StateStore.KnownPack] = []
    for arrival in arrivals {
      guard let info = arrival.info, let version = info.version else { continue }
      // One import may contain two versions of a pack. The later version must follow the earlier one.
      let known = try found.last { $0.name.utf8.elementsEqual(info.name.utf8) } ?? store.pack(named: info.name)
      let key = try judge(arrival, info, version, known, context)
      found.append(
        StateStore.KnownPack(
          name: info.name, version: version.text, sha256: arrival.file?.sha256 ?? "", key: key?.text))
    }
    return found
  }

  /// - Returns: the key that verifiably signed the pack; nil if no key did.
  private func judge(
    _ arrival: Arrival, _ info: PackInfo, _ version: SemanticVersion, _ known: StateStore.KnownPack?,
    _ context: RunContext
  ) throws -> MinisignKey? {
    let place = Place(file: arrival.path)
    let knownVersion = known.flatMap { SemanticVersion($0.version) }
    guard let known, let knownVersion, let text = known.key, let knownKey = try? MinisignKey(text) else {
      if let knownVersion, version.precedes(knownVersion) {
        context.findings.report(
          Diagnostic(
            .olderPack, "'\(info.name)' \(version) is older than \(knownVersion), which was imported before",
            at: place))
      }
      if let file = arrival.file, arrival.signature == nil, PackSignature.exists(for: file.path) {
        try PackSignature.requirePlausible(for: file.path, info: info, doing: arrival.doing)
        context.findings.report(
          Diagnostic(.unprovedPack, "the signature of '\(info.name)' was not checked", at: place))
      }
      return try agreed(arrival.signature, arrival, info)
    }
    guard let file = arrival.file else {
      throw RunFailure(
        .mismatch,
        "\(arrival.doing): a folder cannot be signed, and '\(info.name)' \(knownVersion) was signed by key "
          + knownKey.id, advice: "Import the pack as a file, with its signature file next to it.")
    }
    let signature = try arrival.signature ?? proved(file, info, knownKey, arrival.doing)
    _ = try agreed(signature, arrival, info)
    guard signature.key == knownKey else {
      context.findings.report(
        Diagnostic(
          .otherPackKey,
          "'\(info.name)' \(version) is signed by key \(signature.key.id), \(knownVersion) by \(knownKey.id)", at: place
        ))
      return signature.key
    }
    let chain = PackChain(
      name: info.name, version: PackPrevious(version: version, sha256: file.sha256),
      ancestors: PackChain.ancestors(of: info, signed: signature.comment?.previous))
    _ = try chain.step(from: PackPrevious(version: knownVersion, sha256: known.sha256), doing: arrival.doing)
    return signature.key
  }

  /// Returns the signature of a pack whose last version was signed.
  private func proved(
    _ file: FileFingerprint, _ info: PackInfo, _ key: MinisignKey, _ doing: String
  ) throws -> PackSignature {
    do {
      return try PackSignature(of: file, trusted: [key], doing: doing)
    } catch let error as RunFailure {
      throw RunFailure(
        error.status, error.message + "; the previous version of '\(info.name)' was signed by key \(key.id)",
        advice: error.status == .mismatch && !PackSignature.exists(for: file.path)
          ? error.advice : "If the publisher has a new key, get it from the publisher and use --trust KEY.")
    }
  }

  private func agreed(_ signature: PackSignature?, _ arrival: Arrival, _ info: PackInfo) throws -> MinisignKey? {
    guard let signature else { return nil }
    try signature.requireAgreement(with: info, doing: arrival.doing)
    return signature.key
  }
}
