import ArgumentParser
import FleetKit

/// `fleetkit backups`.
struct BackupsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backups",
    abstract: "List the backups in a folder with their times, libraries, sizes and parents.",
    discussion: """
      Reads only the header of each backup, so that a folder of thousands is listed quickly. To check that every byte \
      is intact, use 'fleetkit verify'. An incremental backup needs the backups before it. One whose parent is \
      missing is marked, because it cannot be restored.

      With --check every byte of every file and chain is read. The result lists the backups that can be \
      restored, truncated and damaged files, leftovers of killed runs, and the backups that can be restored instead.

      EXAMPLES
        fleetkit backups backups/
        fleetkit backups backups/ --check
            read every byte to find which backups can be restored
        fleetkit backups backups/ --library anyfleet
            only backups of one library
        fleetkit backups backups/ --json   for a monitoring script
        fleetkit backups find MOB backups/
            which backups have the item, in which versions

      EXIT STATUS
        0  listed, with or without problems
        2  the folder cannot be read
        5  with --check: a backup cannot be restored
        6  with --check: a backup needs a newer FleetKit
      """,
    subcommands: [BackupsListVerb.self, BackupsFindVerb.self], defaultSubcommand: BackupsListVerb.self)
}

/// `fleetkit backups DIR`.
struct BackupsListVerb: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the backups in a folder.")

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var folder: String

  @Option(name: .long, help: "Only backups of the library with this name.")
  var library: String?

  @Flag(name: .long, help: "Read every backup and chain completely, and show which backups can be restored.")
  var check = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let content = try BackupFolder(folder, library: library)
    guard check else { return try output.print(BackupsReport(content)) }
    var verification = FolderVerification(folder)
    verification.library = library
    verification.onProgress = output.quiet ? nil : Progress("").steps
    let found = try verification.run()
    Progress.clear()
    try output.print(BackupsReport(content, check: found))
    throw ExitCode(found.status.rawValue)
  }
}

/// `fleetkit backups find WHAT DIR`.
struct BackupsFindVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find the backups that contain a record, and its versions.",
    discussion: """
      Consecutive backups with the same version of the record are shown on one line. If any title of a record matches, \
      all its versions are shown, even under other titles.

      EXAMPLES
        fleetkit backups find 'Man overboard' backups/
        fleetkit backups find 'mob*' backups/
        fleetkit backups find 3F2504E0 backups/ --library anyfleet

      EXIT STATUS
        0  found
        2  no backup contains the record
        5  some backups could not be searched; they are listed
      """)

  @Argument(help: ArgumentHelp("A title or part of one (* and ? are wildcards), or an id.", valueName: "title|id"))
  var wanted: String

  @Argument(help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
  var folder: String

  @Option(name: .long, help: "Only backups of the library with this name.")
  var library: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    var search = BackupSearch(folder, for: wanted)
    search.library = library
    search.onProgress = output.quiet ? nil : Progress("").steps
    let report = try search.run()
    Progress.clear()
    try output.print(BackupsFindReport(report, wanted: wanted, folder: folder))
    throw ExitCode(report.status.rawValue)
  }
}

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
      Terminal.report("\(name) contains no backups.")
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
      Terminal.report(
        "warning: \(TerminalEscaping.escape(entry.file.name)) cannot be restored: it needs \(missing), which is missing"
      )
    }
    for other in folder.others { Terminal.report("warning: \(TerminalEscaping.escape(other.reason))") }
    if !folder.entries.isEmpty {
      Terminal.report(
        "To check the backups for damage, run 'fleetkit backups \(name) --check', which reads every byte.")
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

/// The report of `backups find`.
struct BackupsFindReport: Report {
  struct Backup: Encodable {
    let path: String
    let takenAt: Timestamp

    init(_ file: BackupFile) { (path, takenAt) = (file.path, file.info.takenAt) }
  }

  struct Version: Encodable {
    let title: String?
    let sha256: String
    let backups: Int
    let first, last: Backup

    init(_ version: BackupSearch.Version) {
      (title, sha256, backups) = (version.title, version.sha256, version.count)
      (first, last) = (Backup(version.first), Backup(version.last))
    }
  }

  struct Record: Encodable {
    let kind, id, library: String
    let versions: [Version]
    let goneSince: Backup?

    init(_ record: BackupSearch.History) {
      (kind, id, library) = (record.kind, record.id, record.library)
      (versions, goneSince) = (record.versions.map(Version.init), record.goneSince.map(Backup.init))
    }
  }

  struct Unreadable: Encodable { let path, reason: String }

  let command = "backups find"
  let status: ExitStatus
  let folder, wanted: String
  let backups: Int
  let records: [Record]
  let unreadable: [Unreadable]
  @TextOnly var report: BackupSearch.Report

  init(_ report: BackupSearch.Report, wanted: String, folder: String) {
    (status, self.folder, self.wanted, backups) = (report.status, folder, wanted, report.backups)
    records = report.records.map(Record.init)
    unreadable = report.unreadable.map { Unreadable(path: $0.path, reason: $0.reason) }
    self.report = report
  }

  func render(_ output: OutputOptions) {
    for record in report.records {
      let title = record.versions.last?.title.map { " '\(TerminalEscaping.escape($0))'" } ?? ""
      Terminal.print(
        "\(record.kind)\(title), \(TerminalEscaping.escape(record.id)), in \(TerminalEscaping.escape(record.library)):")
      var table = Table(["from (UTC)", "to", "backups", "title", "newest"], rightAligned: [2])
      for version in record.versions {
        table.add([
          time(version.first), version.count == 1 ? "" : time(version.last), "\(version.count)",
          TerminalEscaping.escape(version.title ?? ""), TerminalEscaping.escape(version.last.name),
        ])
      }
      for line in table.lines(width: Terminal.width, flexible: 3) { Terminal.print(line) }
      if let gone = record.goneSince {
        Terminal.print("  no longer in the backup of \(time(gone))")
      }
    }
    if report.records.isEmpty {
      Terminal.complain(
        "fleetkit: find '\(TerminalEscaping.escape(wanted))': not found in \(backups) backup\(backups == 1 ? "" : "s") "
          + "in '\(TerminalEscaping.escape(folder))'")
    } else if !output.quiet, let last = report.records.first?.versions.last?.last.path,
      let id = report.records.first?.id
    {
      Terminal.report(
        "To restore a record, run: fleetkit restore \(TerminalEscaping.shellQuoted(last)) --into LIBRARY --id "
          + TerminalEscaping.shellQuoted(id))
    }
    for file in report.unreadable {
      Terminal.complain("warning: not searched: \(TerminalEscaping.escape(file.reason))")
    }
  }

  private func time(_ file: BackupFile) -> String { String(file.info.takenAt.columnText.dropLast(4)) }
}
