import FleetKit

/// The report of `backups`.
struct BackupsReport: Report {
  struct Parent: Encodable {
    @Inlined var parent: BackupInfo.Parent
    let foundAs: String?
  }

  struct Backup: Encodable {
    let path, library: String
    let origin: String?
    let takenAt: Timestamp
    let schema: String?
    let bytes: Int
    let counts: Members<Int>
    let records: Int
    let incremental: Bool
    @IfPresent var parent: Parent?
    let chain: Int
    let restorable: Bool
    let missing: String?

    init(_ entry: BackupFolder.Entry) {
      let (file, info) = (entry.file, entry.file.info)
      (path, library, origin, takenAt) = (file.path, info.name, info.origin, info.takenAt)
      (schema, bytes, counts, records) = (info.schema, file.bytes, info.countsByKind, info.records)
      (incremental, chain, restorable) = (info.isIncremental, entry.chain, !entry.isBroken)
      missing = entry.missing
      parent = info.parent.map { Parent(parent: $0, foundAs: entry.parent) }
    }
  }

  struct Other: Encodable {
    let path, reason: String
    let status: ExitStatus
  }

  let command = "backups"
  let status: ExitStatus
  let folder: String
  let totalBytes: Int
  let backups: [Backup]
  let others: [Other]
  @IfPresent var check: FolderCheckReport?
  @TextOnly var content: BackupFolder
  @TextOnly var found: FolderVerification.Report?

  init(_ content: BackupFolder, check: FolderVerification.Report? = nil) {
    status = check?.status ?? .success
    self.check = check.map(FolderCheckReport.init)
    found = check
    folder = content.path
    totalBytes = content.entries.reduce(0) { $0 + $1.file.bytes }
    backups = content.entries.map(Backup.init)
    others = content.others.map { Other(path: $0.path, reason: $0.reason, status: $0.status) }
    self.content = content
  }

  func render(_ output: OutputOptions) {
    let folder = content
    let name = TerminalEscaping.escape(folder.path)
    if folder.entries.isEmpty {
      Terminal.say("\(name) contains no backups.")
    } else {
      let states = found.map { Dictionary($0.files.map { ($0.path, $0.state) }, uniquingKeysWith: { $1 }) }
      let heads = ["file", "taken (UTC)", "library", "size", "records", "kind"]
      var table = Table(heads + (states == nil ? [] : ["check"]), rightAligned: [3, 4])
      let libraries = Set(folder.entries.map { Library(of: $0) })
      let names = Dictionary(grouping: libraries) { $0.name }
      for entry in folder.entries {
        let isAmbiguous = (names[Library(of: entry).name]?.count ?? 0) > 1
        let info = entry.file.info
        table.add(
          [
            TerminalEscaping.escape(entry.file.name), time(info.takenAt),
            TerminalEscaping.escape(info.name) + (isAmbiguous ? " (\(TerminalEscaping.escape(origin(info))))" : ""),
            Figures.bytes(entry.file.bytes), "\(info.records)", kind(entry),
          ] + (states.map { [Self.word($0[entry.file.path])] } ?? []))
      }
      if folder.entries.count > 1 {
        table.rule()
        table.add(
          [
            "\(folder.entries.count) backups", "", libraries.count == 1 ? "" : "\(libraries.count) libraries",
            Figures.bytes(totalBytes), "", "",
          ] + (states == nil ? [] : [""]))
      }
      for line in table.lines(width: Terminal.width, flexible: 0) { Terminal.print(line) }
    }
    if let found { return FolderCheckRenderer.print(found, output) }
    if output.quiet { return }
    for entry in folder.entries where entry.isBroken {
      let missing = entry.missing.map { "'\(TerminalEscaping.escape($0))'" } ?? "a backup"
      Terminal.say(
        "warning: \(TerminalEscaping.escape(entry.file.name)) cannot be restored: it needs \(missing), which is missing"
      )
    }
    for other in folder.others { Terminal.say("warning: \(TerminalEscaping.escape(other.reason))") }
    if !folder.entries.isEmpty {
      Terminal.say("To check the backups for damage, run 'fleetkit backups \(name) --check', which reads every byte.")
    }
  }

  private static func word(_ state: FolderVerification.State?) -> String {
    switch state {
    case .sound: "restorable"
    case .unrestorable: "NOT RESTORABLE"
    case let state?: state.rawValue.uppercased()
    case nil: ""
    }
  }

  /// Identifies a library in a folder of backups; names and origins are compared by their bytes.
  private struct Library: Hashable {
    let name: [UInt8]
    let origin: [UInt8]?

    init(of entry: BackupFolder.Entry) {
      name = Array(entry.file.info.name.utf8)
      origin = entry.file.info.origin.map { Array($0.utf8) }
    }
  }

  /// Returns the first characters of an origin, which are enough to distinguish two boats.
  private func origin(_ info: BackupInfo) -> String { info.origin.map { String($0.prefix(8)) } ?? "unknown" }

  private func time(_ time: Timestamp) -> String { String(time.columnText.dropLast(4)) }

  /// Renders the kind of a backup: `full`, `incremental, 3 of 3`, `incremental, parent missing`.
  private func kind(_ entry: BackupFolder.Entry) -> String {
    let info = entry.file.info
    guard info.isIncremental else { return "full" }
    guard let parent = entry.parent else { return "incremental, PARENT MISSING" }
    if entry.isBroken { return "incremental, CHAIN BROKEN" }
    return "incremental, link \(entry.chain), after \(TerminalEscaping.escape(parent))"
  }

}
