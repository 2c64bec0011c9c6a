import FleetKit

/// The part of `inspect`'s report about a pack, read from the pack's head.
struct PackReport: Encodable {
  private struct Backup: Encodable {
    let profile = PackProfile.backup.rawValue
    let library: String
    let schemaVersion: String?
    let takenAt: Timestamp
    let counts: Members<Int>
    @IfPresent var parent: BackupInfo.Parent?
  }

  private struct Content: Encodable {
    let profile, name: String
    let version, publisher, licence, description: String?
    let languages: [String]
    let types: Members<Int>
    let items: Int
  }

  private let packing: String
  private let bytes: Int?
  private let hasSignature: Bool
  private let verified = false
  @Inlined private var backup: Backup?
  @Inlined private var content: Content?
  @TextOnly private var head: PackHead

  init(_ head: PackHead) {
    self.head = head
    (packing, bytes, hasSignature) = (head.kind.rawValue, head.bytes, head.hasSignature)
    if let info = head.backup {
      backup = Backup(
        library: info.library, schemaVersion: info.schema, takenAt: info.takenAt, counts: info.countsByKind,
        parent: info.parent)
    } else if let info = head.info {
      content = Content(
        profile: info.profile.rawValue, name: info.name, version: info.version?.text, publisher: info.publisher,
        licence: info.licence, description: info.description, languages: info.languages,
        types: Members(Self.counts(info)), items: info.items.count)
    }
  }

  func render() {
    Terminal.print(TerminalEscaping.escape(head.path))
    let size = head.bytes.map { ", " + Figures.bytes($0) } ?? ""
    if let backup = head.backup {
      Terminal.print("  \(backup.isIncremental ? "Incremental backup" : "Backup") of a library, \(archive)\(size)")
      print(backup)
    } else if let info = head.info {
      Terminal.print(
        "  \(info.profile == .copy ? "Copy of a source, as a content pack" : "Content pack"), \(archive)\(size)")
      print(info)
    }
    fact("signature", head.hasSignature ? "\(head.path).minisig" : "none")
    Terminal.print(
      "\n  Nothing was verified. To check the pack against its checksums, run 'fleetkit verify'.")
  }

  private var archive: String {
    switch head.kind {
    case .fleetpack: "tar in zstd"
    case .zip: "ZIP"
    case .tarGzip: "tar in gzip"
    case .folder: "a folder"
    }
  }

  private func fact(_ name: String, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    let padded = name + String(repeating: " ", count: max(0, 12 - name.count))
    Terminal.print("  \(padded) \(TerminalEscaping.escape(text))")
  }

  private func print(_ info: PackInfo) {
    fact("name", info.name)
    fact("version", info.version?.text)
    fact("publisher", info.publisher)
    fact("licence", info.licence)
    fact("description", info.description)
    fact("languages", info.languages.joined(separator: ", "))
    let types = Self.counts(info).map { Plural.count($0.1, $0.0.replacing("_", with: " ")) }
    fact("items", "\(info.items.count)" + (types.isEmpty ? "" : ": " + types.joined(separator: ", ")))
    fact("former", info.parent.map { "version \($0.version.text)" })
  }

  private func print(_ backup: BackupInfo) {
    fact("library", backup.library + (backup.schema.map { ", schema v\($0)" } ?? ""))
    fact("taken at", backup.takenAt.iso8601)
    fact("records", backup.counts.map { Figures.count($0.number, RecordKind($0.kind)) }.joined(separator: ", "))
    if let parent = backup.parent { fact("parent", "\(parent.file), taken at \(parent.takenAt.iso8601)") }
  }

  /// The number of items of each type, in the app's order.
  private static func counts(_ info: PackInfo) -> [(String, Int)] {
    ContentType.allCases.compactMap { type in
      let count = info.items.count { $0.contentType == type }
      return count > 0 ? (type.rawValue, count) : nil
    }
  }

}
