import FleetKit
import Foundation
import TestSupport
import Testing

extension CrashWorld {
  /// The complete state of a library: its rows, the ledger's rows, and the files next to it.
  struct Image: Equatable {
    /// The library's rows, read by SQLite's own shell; nil if the library does not exist.
    let content: String?
    /// The ledger's rows without run times.
    let ledger: String
    /// The state of the runs that are not void.
    let runs: String
    /// The names and contents of the files next to the library, without the times in names.
    let files: String

    init(_ library: String) throws {
      content = try Self.content(library)
      let sidecar = library + ".fleetkit"
      var (ledger, runs) = ("", "")
      if FileManager.default.fileExists(atPath: sidecar + "/state.sqlite") {
        let text = try SQLiteShell.run(
          sidecar + "/state.sqlite",
          """
          PRAGMA integrity_check;
          .dump
          SELECT '=====';
          SELECT CASE command WHEN 'undo' THEN 'an' ELSE id END, command, state, counts, now, finished IS NOT NULL
            FROM runs WHERE state IN ('done', 'undone') OR state <> 'void' AND command <> 'undo' ORDER BY runs.id;
          """)
        #expect(text.hasPrefix("ok\n"), "\(text.prefix(200))")
        // Run numbers and times are checked separately, because void runs have them, too. The library's id changes
        // whenever the sidecar is created.
        let others = ["INSERT INTO runs", "INSERT INTO sqlite_sequence VALUES('runs'", "INSERT INTO library_id"]
        let lines = text.split(separator: "\n").filter { line in !others.contains { line.hasPrefix($0) } }
        let end = lines.firstIndex { $0 == "=====" } ?? lines.endIndex
        ledger = lines[..<end].joined(separator: "\n")
        runs = lines[end...].joined(separator: "\n")
      }
      (self.ledger, self.runs) = (ledger, runs)
      files = try Self.files((library as NSString).deletingLastPathComponent)
    }

    private static func content(_ library: String) throws -> String? {
      guard FileManager.default.fileExists(atPath: library) else { return nil }
      let text = try SQLiteShell.run(library, "PRAGMA integrity_check; PRAGMA foreign_key_check;\n.dump\n")
      #expect(text.hasPrefix("ok\nPRAGMA"), "\(text.prefix(200))")
      return text
    }

    /// Returns the content of a copy of a library's files without the sidecar.
    static func contentOfCopy(_ library: String, in folder: String) throws -> String? {
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for suffix in ["", "-journal", "-wal"] where FileManager.default.fileExists(atPath: library + suffix) {
        try FileManager.default.copyItem(atPath: library + suffix, toPath: folder + "/l.sqlite" + suffix)
      }
      return try content(folder + "/l.sqlite")
    }

    private static func files(_ folder: String) throws -> String {
      var text = ""
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
        let path = folder + "/" + name
        // SQLite's own files depend on the process that reads the library.
        if name.hasSuffix("-shm") || name.hasSuffix("-wal") { continue }
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let plain = name.replacing(#/[0-9]{8}T[0-9]{9}Z/#, with: "TIME").replacing(#/undo\/[0-9]+/#, with: "undo/RUN")
        text += plain
        if !isFolder.boolValue, name.contains("/rejects/") || name.contains("/media/") {
          text += ": " + String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        }
        text += "\n"
      }
      return text
    }

    /// Returns the first difference from another image.
    func difference(_ other: Image) -> String {
      let (one, two) = (lines, other.lines)
      for index in 0..<max(one.count, two.count) {
        let (left, right) = (index < one.count ? one[index] : "(end)", index < two.count ? two[index] : "(end)")
        if left != right { return "\(left.prefix(300))\n≠ \(right.prefix(300))" }
      }
      return "none"
    }

    private var lines: [Substring] {
      [content ?? "no library", ledger, runs, files].flatMap { $0.split(separator: "\n") }
    }
  }

  /// The file changes that decide the outcome of a run.
  struct Landmarks {
    /// The change with which the undo journal begins.
    let journal: CrashPoints.Change
    /// The change that records the run's intention in the ledger.
    let intended: CrashPoints.Change
    /// The first change to the library itself that belongs to its commit.
    let pages: CrashPoints.Change
    /// The change with which the ledger begins to record the end of the run.
    let noted: CrashPoints.Change

    init(_ changes: [CrashPoints.Change]) throws {
      let store = "l.sqlite.fleetkit/state.sqlite-journal"
      journal = try #require(changes.first { $0.path.hasSuffix(".journal") } ?? changes.first)
      // A log is copied into the library after everything else.
      let log = changes.lastIndex { $0.path == "l.sqlite-wal" && $0.call == "write" }
      let first = try #require(log ?? changes.lastIndex { $0.path == "l.sqlite" })
      let after = try #require(changes[first...].firstIndex { $0.path == store && $0.call == "write" })
      let before = try #require(changes[..<first].lastIndex { $0.path == store && $0.call == "unlink" })
      intended = changes[before]
      pages = try #require(changes[before...].first { !$0.path.contains(".fleetkit") })
      noted = changes[after]
    }
  }

  /// The moment at which a command was killed.
  enum Phase: String, CaseIterable {
    case notNoted = "before it was noted"
    case working = "at work"
    case intended = "between the ledger's intention and the library's commit"
    case committed = "between the library's commit and the ledger's end"
    case done = "after it"
  }

  /// Examines the state after a kill without repairing it: checks its content, and that it can be read immediately.
  /// Then completes the command and compares the result with that of an undisturbed command.
  func checkAfterKill(_ what: String) throws -> Phase {
    // Files that are copied without the sidecar form either the old library or the new one.
    let copied = try Image.contentOfCopy(library, in: scratch["copy"])
    #expect(copied == before.content || copied == after.content, "\(what): a copy is neither the one nor the other")
    let isAfter = copied == after.content
    // FleetKit reads the same content before the command is resumed, including what an import wrote to the sidecar.
    if copied != nil {
      let seen = try Self.list(library)
      if job == .undo {
        try expectKnownRecords(seen, what)
      } else {
        #expect(seen == (isAfter ? listed.after : listed.before), "\(what): it does not read as the library is")
      }
    }
    let state = copied == nil ? nil : try RunList(library).runs.first { $0.id == run }
    let noted = try notedState()
    let phase: Phase
    switch noted {
    case nil: phase = .notNoted
    case "running": phase = .working
    case "intended": phase = isAfter ? .committed : .intended
    case "done": phase = .done
    default:
      Issue.record("\(what): the run is \(noted ?? "")")
      phase = .working
    }
    if copied != nil {
      #expect((state == nil) == (noted == nil), "\(what): 'runs' disagrees with \(noted ?? "none")")
    }
    #expect(phase != .done || isAfter, "\(what): done, but the library does not have it")
    try finish(phase, what)
    let found = try Image(library)
    let isSame = found == after
    #expect(isSame, "\(what): \(found.difference(after))")
    return phase
  }

  /// Compares the output of `fleetkit list` with the outputs from before and after the command. The sidecar may be one
  /// step ahead of the library: each record is the old or the new one, and none is missing.
  func expectKnownRecords(_ list: String, _ what: String) throws {
    let (before, after) = (try Self.records(listed.before ?? "[]"), try Self.records(listed.after))
    let seen = try Self.records(list)
    let strangers = seen.subtracting(before).subtracting(after)
    #expect(strangers.isEmpty, "\(what): \(strangers.prefix(2))")
    #expect(seen.count >= min(before.count, after.count), "\(what): records are missing")
  }

  /// Returns the individual records of a list.
  private static func records(_ list: String) throws -> Set<String> {
    let all = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]] ?? []
    return try Set(
      all.map { String(decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys), as: UTF8.self) })
  }

  /// Returns the run's state in the ledger, read from a copy of the files.
  private func notedState() throws -> String? {
    let (state, copy) = (library + ".fleetkit/state.sqlite", scratch["copy/state.sqlite"])
    try? FileManager.default.createDirectory(atPath: scratch["copy"], withIntermediateDirectories: true)
    for suffix in ["", "-journal"] where FileManager.default.fileExists(atPath: state + suffix) {
      try FileManager.default.copyItem(atPath: state + suffix, toPath: copy + suffix)
    }
    guard FileManager.default.fileExists(atPath: copy) else { return nil }
    let tables = try SQLiteShell.run(copy, "SELECT count(*) FROM sqlite_schema WHERE name = 'runs';")
    guard tables == "1\n" else { return nil }
    let text = try SQLiteShell.run(copy, "SELECT state FROM runs WHERE id = \(run);")
    return text.isEmpty ? nil : String(text.dropLast())
  }

  /// Completes the command as a user would.
  private func finish(_ phase: Phase, _ what: String) throws {
    if job == .undo {
      let again = try run(arguments)
      let isOver = phase == .committed || phase == .done
      #expect(again.status == (isOver ? 4 : 0), "\(what), \(phase): \(again.errors)")
      if isOver { #expect(again.errors.contains("fleetkit undo"), "\(what): \(again.errors)") }
      return
    }
    let again = try run(["import", "--resume", String(run), "--into", library])
    switch phase {
    case .notNoted:
      #expect(again.status == 64, "\(what): \(again.errors)")
      let anew = try run(arguments)
      #expect(anew.status == status, "\(what): \(anew.errors)")
    case .working, .intended: #expect(again.status == status, "\(what), \(phase): \(again.errors)")
    case .committed: #expect(again.status == 0 && again.errors.contains("already"), "\(what): \(again.errors)")
    case .done: #expect(again.status == 4, "\(what): \(again.errors)")
    }
  }
}
