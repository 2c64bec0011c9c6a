import FleetKit
import Foundation
import TestSupport
import Testing

extension CrashWorld {
  /// Everything that a library is: its rows, the ledger's, and what lies beside it.
  struct Image: Equatable {
    /// The library's rows, by SQLite's own shell; nil when there is no library.
    let content: String?
    /// What the ledger says, without the times of runs.
    let ledger: String
    /// What became of the runs that count.
    let runs: String
    /// Names and texts of what lies beside it, without the times in names.
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
        // The numbers and times of runs are looked at on their own: those that came to nothing have one, too. A library's
        // id is another one whenever the folder beside it is made.
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

    /// What a copy of a library's files says, without the folder beside it.
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
        // SQLite's own, which come and go with who reads.
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

    /// Where two differ first.
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

  /// The changes of files where it is decided what becomes of a run.
  struct Landmarks {
    /// The undo journal begins.
    let journal: CrashPoints.Change
    /// With this the ledger's intention is noted.
    let intended: CrashPoints.Change
    /// The first of the library's own that belongs to its commit.
    let pages: CrashPoints.Change
    /// With this the ledger begins to note the end.
    let noted: CrashPoints.Change

    init(_ changes: [CrashPoints.Change]) throws {
      let store = "l.sqlite.fleetkit/state.sqlite-journal"
      journal = try #require(changes.first { $0.path.hasSuffix(".journal") } ?? changes.first)
      // A log goes into the library after everything.
      let log = changes.lastIndex { $0.path == "l.sqlite-wal" && $0.call == "write" }
      let first = try #require(log ?? changes.lastIndex { $0.path == "l.sqlite" })
      let after = try #require(changes[first...].firstIndex { $0.path == store && $0.call == "write" })
      let before = try #require(changes[..<first].lastIndex { $0.path == store && $0.call == "unlink" })
      intended = changes[before]
      pages = try #require(changes[before...].first { !$0.path.contains(".fleetkit") })
      noted = changes[after]
    }
  }

  /// Where a killed command was.
  enum Phase: String, CaseIterable {
    case notNoted = "before it was noted"
    case working = "at work"
    case intended = "between the ledger's intention and the library's commit"
    case committed = "between the library's commit and the ledger's end"
    case done = "after it"
  }

  /// Looks at what a kill left, without helping it: what it says, and that it can be read at once. Then brings it to its
  /// end, and compares with what an undisturbed command leaves.
  func checkAfterKill(_ what: String) throws -> Phase {
    // Files that were copied without the folder beside them are the one library or the other.
    let copied = try Image.contentOfCopy(library, in: scratch["copy"])
    #expect(copied == before.content || copied == after.content, "\(what): a copy is neither the one nor the other")
    let isAfter = copied == after.content
    // FleetKit reads the same, before anybody resumes; also what an import brought beside the library.
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
      #expect((state == nil) == (noted == nil), "\(what): 'runs' says otherwise than \(noted ?? "none")")
    }
    #expect(phase != .done || isAfter, "\(what): done, but the library does not have it")
    try finish(phase, what)
    let found = try Image(library)
    let isSame = found == after
    #expect(isSame, "\(what): \(found.difference(after))")
    return phase
  }

  /// Holds what `fleetkit list` says against what it said before and says afterwards, where what lies beside the library
  /// may be a step ahead: each record is the one or the other, and none is missing.
  func expectKnownRecords(_ list: String, _ what: String) throws {
    let (before, after) = (try Self.records(listed.before ?? "[]"), try Self.records(listed.after))
    let seen = try Self.records(list)
    let strangers = seen.subtracting(before).subtracting(after)
    #expect(strangers.isEmpty, "\(what): \(strangers.prefix(2))")
    #expect(seen.count >= min(before.count, after.count), "\(what): records are missing")
  }

  /// The single records of a list.
  private static func records(_ list: String) throws -> Set<String> {
    let all = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]] ?? []
    return try Set(
      all.map { String(decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys), as: UTF8.self) })
  }

  /// What the ledger says of the run, read from a copy of its files.
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

  /// What a person would do now.
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
