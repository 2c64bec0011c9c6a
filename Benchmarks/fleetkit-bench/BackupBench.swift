import CSQLite
import Foundation

/// Measures backups of a 500 MB library: making a full backup, compared with `VACUUM INTO` of the same library, which
/// neither compresses nor checks nor lists its content; making an incremental backup; verifying; and restoring.
struct BackupBench {
  let folder: String
  let command: String
  let rounds: Int
  private let count = 156_000

  func run() throws {
    let library = folder + "/half-gigabyte.sqlite"
    if Bench.size(library) < 450_000_000 {
      try? FileManager.default.removeItem(atPath: library)
      _ = try ChildRun.run(command, ["convert", Bench.bundle(count, in: folder), "--to", library, "-q"])
    }
    let copy = folder + "/vacuumed.sqlite"
    let full = folder + "/full.fleetpack"
    let changed = folder + "/changed.sqlite"
    let incremental = folder + "/incremental.fleetpack"
    let restored = folder + "/restored.sqlite"
    var peers: [Double] = []
    var copies: [Double] = []
    var runs: [String: [ChildRun]] = [:]
    for round in 0..<rounds {
      try? FileManager.default.removeItem(atPath: copy)
      peers.append(try Self.vacuum(library, into: copy))
      try? FileManager.default.removeItem(atPath: full)
      runs["backup", default: []].append(try ChildRun.run(command, ["backup", library, "--to", full, "-q"]))
      try? FileManager.default.removeItem(atPath: full)
      copies.append(try copySeconds(of: library, to: full))
      if round == 0 {
        try? FileManager.default.removeItem(atPath: changed)
        try FileManager.default.copyItem(atPath: library, toPath: changed)
        try Self.change(changed)
      }
      try? FileManager.default.removeItem(atPath: incremental)
      // A library is identified by its name.
      try? FileManager.default.removeItem(atPath: folder + "/next/half-gigabyte.sqlite")
      try FileManager.default.createDirectory(atPath: folder + "/next", withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: changed, toPath: folder + "/next/half-gigabyte.sqlite")
      runs["backup --since", default: []].append(
        try ChildRun.run(
          command, ["backup", folder + "/next/half-gigabyte.sqlite", "--since", full, "--to", incremental, "-q"]))
      try FileManager.default.moveItem(atPath: folder + "/next/half-gigabyte.sqlite", toPath: changed)
      runs["verify", default: []].append(try ChildRun.run(command, ["verify", full, "-q"]))
      runs["verify --restore", default: []].append(try ChildRun.run(command, ["verify", full, "--restore", "-q"]))
      for name in [restored, restored + ".fleetkit"] { try? FileManager.default.removeItem(atPath: name) }
      runs["restore", default: []].append(try ChildRun.run(command, ["restore", full, "--to", restored, "-q"]))
    }
    let peer = Bench.median(peers)
    Bench.say("backup of a library of \(Bench.size(library) / 1_000_000) MB, \(count) items; median of \(rounds)")
    Bench.say(String(format: "  VACUUM INTO             %.2f s", peer))
    let copyRatios = zip(copies, peers).map { $0 / $1 }
    Bench.say(
      String(
        format: "  the snapshot of a backup   %.2f s = %.2f × VACUUM INTO (%.2f–%.2f)", Bench.median(copies),
        Bench.median(copyRatios), copyRatios.min() ?? 0, copyRatios.max() ?? 0))
    for name in ["backup", "backup --since", "verify", "verify --restore", "restore"] {
      let mine = runs[name] ?? []
      let ratios = zip(mine, peers).map { $0.seconds / $1 }
      Bench.say(
        String(
          format: "  fleetkit %@ %.2f s = %.2f × VACUUM INTO (%.2f–%.2f), processor %.2f s, peak %.1f MB",
          name.padding(toLength: 17, withPad: " ", startingAt: 0), Bench.median(mine.map(\.seconds)),
          Bench.median(ratios), ratios.min() ?? 0, ratios.max() ?? 0, Bench.median(mine.map(\.processor)),
          Double(mine.map(\.peakAnonymous).max() ?? 0) / 1e6))
    }
    Bench.say(
      String(
        format: "  size: full %.1f MB, incremental %.2f MB (100 items changed)", Double(Bench.size(full)) / 1e6,
        Double(Bench.size(incremental)) / 1e6))
    for name in [copy, restored] { try? FileManager.default.removeItem(atPath: name) }
  }

  /// Returns how long a backup locks the library: the time in which it makes the copy from which everything else is
  /// made.
  private func copySeconds(of library: String, to target: String) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = ["backup", library, "--to", target, "--json"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard let report = try JSONSerialization.jsonObject(with: text) as? [String: Any],
      let seconds = report["copy_seconds"] as? Double
    else { throw CocoaError(.fileReadCorruptFile) }
    return seconds
  }

  /// Runs `VACUUM INTO` and syncs the copy.
  private static func vacuum(_ library: String, into copy: String) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try execute("VACUUM INTO '\(copy)'", library)
    let descriptor = open(copy, O_RDONLY | O_CLOEXEC)
    fsync(descriptor)
    close(descriptor)
    return BareLoops.seconds(clock.now - start)
  }

  /// Simulates a day's work: a hundred items get a different title.
  private static func change(_ library: String) throws {
    try execute(
      "UPDATE library_content SET title = title || ' (new)' WHERE rowid IN (SELECT rowid FROM library_content LIMIT 100)",
      library)
  }

  private static func execute(_ statement: String, _ library: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(library, &database) == SQLITE_OK, sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK
    else { throw CocoaError(.fileReadCorruptFile) }
  }
}
