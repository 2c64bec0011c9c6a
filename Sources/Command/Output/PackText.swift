import FleetKit

/// What `inspect` says about a pack: what stands at its head.
struct PackText {
  let head: PackHead

  // MARK: Words

  func print() {
    Terminal.print(TerminalText.escape(head.path))
    let size = head.bytes.map { ", " + Figures.bytes($0) } ?? ""
    if let backup = head.backup {
      Terminal.print("  \(backup.isIncremental ? "Incremental backup" : "Backup") of a library, \(packing)\(size)")
      print(backup)
    } else if let info = head.info {
      Terminal.print(
        "  \(info.profile == .copy ? "Copy of a source, as a content pack" : "Content pack"), \(packing)\(size)")
      print(info)
    }
    fact("signature", head.hasSignature ? "\(head.path).minisig lies beside it" : "none beside it")
    Terminal.print(
      "\n  This is what it says of itself; nothing was verified. 'fleetkit verify' holds it against its checksums.")
  }

  private var packing: String {
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
    Terminal.print("  \(padded) \(TerminalText.escape(text))")
  }

  private func print(_ info: PackInfo) {
    fact("name", info.name)
    fact("version", info.version?.text)
    fact("publisher", info.publisher)
    fact("licence", info.licence)
    fact("description", info.description)
    fact("languages", info.languages.joined(separator: ", "))
    let types = counts.map { "\($0.1) \($0.0.replacing("_", with: " "))\($0.1 == 1 ? "" : "s")" }
    fact("items", "\(info.items.count)" + (types.isEmpty ? "" : ": " + types.joined(separator: ", ")))
    fact("former", info.parent.map { "version \($0.version.text)" })
  }

  private func print(_ backup: BackupInfo) {
    fact("library", backup.library + (backup.schema.map { ", schema v\($0)" } ?? ""))
    fact("taken at", backup.takenAt.iso8601)
    fact("records", backup.counts.map { Figures.count($0.number, RecordKind($0.kind)) }.joined(separator: ", "))
    if let parent = backup.parent { fact("parent", "\(parent.file), taken at \(parent.takenAt.iso8601)") }
  }

  /// Items by type, in the order in which the app has them.
  private var counts: [(String, Int)] {
    let items = head.info?.items ?? []
    return ContentType.allCases.compactMap { type in
      let count = items.count { $0.contentType == type }
      return count > 0 ? (type.rawValue, count) : nil
    }
  }

  // MARK: JSON

  /// Writes the members of an open object.
  func write(to json: inout JSONBuilder) {
    json.string("packing", head.kind.rawValue)
    json.number("bytes", head.bytes)
    json.bool("has_signature", head.hasSignature)
    json.bool("verified", false)
    if let backup = head.backup {
      json.string("profile", PackProfile.backup.rawValue)
      json.string("library", backup.library)
      json.string("schema_version", backup.schema)
      json.string("taken_at", backup.takenAt.iso8601)
      json.object("counts") { json in for count in backup.counts { json.number(count.kind, count.number) } }
      if let parent = backup.parent {
        json.object("parent") { json in
          json.string("file", parent.file)
          json.string("sha256", parent.sha256)
          json.string("taken_at", parent.takenAt.iso8601)
        }
      }
    } else if let info = head.info {
      json.string("profile", info.profile.rawValue)
      json.string("name", info.name)
      json.string("version", info.version?.text)
      json.string("publisher", info.publisher)
      json.string("licence", info.licence)
      json.string("description", info.description)
      json.array("languages") { json in for language in info.languages { json.string(nil, language) } }
      json.object("types") { json in for (type, count) in counts { json.number(type, count) } }
      json.number("items", info.items.count)
    }
  }
}
