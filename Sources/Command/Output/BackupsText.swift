import FleetKit

/// The list of a folder's backups, for people and as JSON.
enum BackupsText {
  static func print(_ folder: BackupFolder, _ output: OutputOptions) {
    let name = TerminalText.escape(folder.path)
    if folder.entries.isEmpty {
      Terminal.say("\(name) has no backup.")
    } else {
      var table = Table(["file", "taken (UTC)", "library", "size", "records", "kind"], rightAligned: [3, 4])
      let libraries = Set(folder.entries.map { Library(of: $0) })
      let names = Dictionary(grouping: libraries) { $0.name }
      for entry in folder.entries {
        let isAmbiguous = (names[Library(of: entry).name]?.count ?? 0) > 1
        let info = entry.file.info
        table.add([
          TerminalText.escape(entry.file.name), time(info.takenAt),
          TerminalText.escape(info.name) + (isAmbiguous ? " (\(TerminalText.escape(origin(info))))" : ""),
          Figures.bytes(entry.file.bytes), "\(info.records)", kind(entry),
        ])
      }
      if folder.entries.count > 1 {
        table.rule()
        let bytes = folder.entries.reduce(0) { $0 + $1.file.bytes }
        table.add([
          "\(folder.entries.count) backups", "", libraries.count == 1 ? "" : "\(libraries.count) libraries",
          Figures.bytes(bytes),
          "", "",
        ])
      }
      for line in table.lines(width: Terminal.width, flexible: 0) { Terminal.print(line) }
    }
    if output.quiet { return }
    for entry in folder.entries where entry.isBroken {
      let missing = entry.missing.map { "'\(TerminalText.escape($0))'" } ?? "a backup"
      Terminal.say(
        "warning: \(TerminalText.escape(entry.file.name)) cannot be restored: \(missing), which it needs, is missing")
    }
    for other in folder.others { Terminal.say("warning: \(TerminalText.escape(other.reason))") }
  }

  /// What tells a library from the others of a folder; names and origins by their bytes.
  private struct Library: Hashable {
    let name: [UInt8]
    let origin: [UInt8]?

    init(of entry: BackupFolder.Entry) {
      name = Array(entry.file.info.name.utf8)
      origin = entry.file.info.origin.map { Array($0.utf8) }
    }
  }

  /// Enough of an origin to tell two boats apart.
  private static func origin(_ info: BackupInfo) -> String { info.origin.map { String($0.prefix(8)) } ?? "unknown" }

  private static func time(_ time: Timestamp) -> String { String(time.columnText.dropLast(4)) }

  /// `full`, `incremental, 3 of 3`, `incremental, parent missing`.
  private static func kind(_ entry: BackupFolder.Entry) -> String {
    let info = entry.file.info
    guard info.isIncremental else { return "full" }
    guard let parent = entry.parent else { return "incremental, PARENT MISSING" }
    if entry.isBroken { return "incremental, CHAIN BROKEN" }
    return "incremental, link \(entry.chain), after \(TerminalText.escape(parent))"
  }

  static func json(_ folder: BackupFolder) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "backups")
      json.number("status", 0)
      json.string("folder", folder.path)
      json.number("total_bytes", folder.entries.reduce(0) { $0 + $1.file.bytes })
      json.array("backups") { json in
        for entry in folder.entries { json.object { write(entry, &$0) } }
      }
      json.array("others") { json in
        for other in folder.others {
          json.object { json in
            json.string("path", other.path)
            json.string("reason", other.reason)
            json.number("status", Int(other.status.rawValue))
          }
        }
      }
    }
    return json.result
  }

  private static func write(_ entry: BackupFolder.Entry, _ json: inout JSONBuilder) {
    let info = entry.file.info
    json.string("path", entry.file.path)
    json.string("library", info.name)
    json.string("origin", info.origin)
    json.string("taken_at", info.takenAt.iso8601)
    json.string("schema", info.schema)
    json.number("bytes", entry.file.bytes)
    json.object("counts") { json in
      for count in info.counts { json.number(count.kind, count.number) }
    }
    json.number("records", info.records)
    json.bool("incremental", info.isIncremental)
    if let parent = info.parent {
      json.object("parent") { json in
        json.string("file", parent.file)
        json.string("sha256", parent.sha256)
        json.string("taken_at", parent.takenAt.iso8601)
        json.string("found_as", entry.parent)
      }
    }
    json.number("chain", entry.chain)
    json.bool("restorable", !entry.isBroken)
    json.string("missing", entry.missing)
  }
}
