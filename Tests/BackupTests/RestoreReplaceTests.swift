import Backup
import FleetKit
import Foundation
import SQLiteIO
import Synchronization
import TestSupport
import Testing

/// Restoring over an existing library while other processes have it open, and restores that are killed.
@Suite(.serialized, .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct RestoreReplaceTests {
  @Test(arguments: [(false, 4096), (true, 4096), (true, 16384), (false, 16384)])
  func readersSeeTheOldOneOrTheNewOne(_ wal: Bool, _ pageSize: Int) throws {
    let scratch = Scratch()
    let new = try Restoring.library("new", 900, wal: false, in: scratch, as: "new.sqlite")
    let backup = try Restoring.backUp(new, to: scratch["b.fleetpack"])
    let library = try Restoring.library("old", 700, wal: wal, pageSize: pageSize, in: scratch, as: "library.sqlite")
    let connection = try SQLiteConnection(library, .read, .foreign)
    let isDone = Atomic<Bool>(false)
    let seen = Mutex<Set<String>>([])
    let thread = Thread {
      // The reader keeps its own connection open throughout, as the app would.
      guard let reader = try? SQLiteConnection(library, .read, .foreign, busyTimeout: 0) else { return }
      while !isDone.load(ordering: .relaxed) {
        if let row = try? reader.rows(Restoring.look).first?.first, let row { _ = seen.withLock { $0.insert(row) } }
        usleep(2000)
      }
    }
    thread.start()
    #expect(try connection.rows(Restoring.look)[0][0] == "oldold700oldold700")
    let answer = try Shell.fleetkit("restore", backup, "--to", library, "--replace", "--yes")
    isDone.store(true, ordering: .relaxed)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try connection.rows(Restoring.look)[0][0] == "newnew900newnew900")
    let states: Set<String> = ["oldold700oldold700", "newnew900newnew900"]
    #expect(seen.withLock { $0 }.isSubset(of: states))
    #expect(
      try SQLiteShell.run(library, "PRAGMA integrity_check; PRAGMA journal_mode;") == "ok\n\(wal ? "wal" : "delete")\n")
    #expect(try Restoring.text(library) == Restoring.text(new))
    // The old library can be restored from its own backup.
    let folder = library + ".fleetkit/backups/"
    let saved = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasSuffix("-restore.fleetpack")
    }
    #expect(saved.count == 1 && answer.errors.contains(saved.first ?? "?"))
    let back = try LibraryRestore(folder + (saved.first ?? ""), to: scratch["back.sqlite"]).run()
    #expect(back.records == 700)
  }

  @Test func theStateIsReplacedToo() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let before = try Restoring.text(library)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    let other = Restoring.deck.replacing("2222-4222", with: "3333-4333").replacing("Two red", with: "Three red")
    #expect(try Shell.fleetkit("import", try scratch.write("o.jsonl", other), "--into", library, "-q").status == 0)
    #expect(try Restoring.text(library).contains("Three red"))
    var restore = LibraryRestore(backup, to: library)
    restore.replaces = true
    let report = try restore.run()
    #expect(try Restoring.text(library) == before)
    let saved = try #require(report.saved)
    #expect(try Restoring.text(saved).contains("Three red"))
    // A library without sidecar files has none afterwards.
    let plain = try scratch.writable("library-v1.4.0.sqlite", as: "plain.sqlite")
    var bare = LibraryRestore(try Restoring.backUp(plain, to: scratch["plain.fleetpack"]), to: library)
    bare.replaces = true
    _ = try bare.run()
    #expect(try Restoring.text(library) == Restoring.text(plain))
    #expect(try SQLiteShell.run(library + ".fleetkit/state.sqlite", "SELECT count(*) FROM records;") == "0\n")
  }

  @Test func aLockedLibraryStaysAsItIs() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    try SQLiteShell.run(library, "UPDATE checklists SET title = 'Mine';")
    let before = try Restoring.text(library)
    #expect(try Shell.fleetkit("restore", backup, "--to", library, "--replace").status == 4)
    do {
      let writer = try SQLiteConnection(library, .write, .foreign)
      try writer.execute("BEGIN IMMEDIATE")
      let answer = try Shell.fleetkit("restore", backup, "--to", library, "--replace", "--yes")
      #expect(answer.status == 7, "\(answer.errors)")
    }
    #expect(try Restoring.text(library) == before)
  }

  /// A library that most needs a restore may be too damaged to back up. Its bytes are then kept unchanged.
  @Test(arguments: ["empty", "garbage", "damaged", "log"]) func aDamagedLibraryIsReplaced(_ what: String) throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let before = try Restoring.text(library)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: library)))
    switch what {
    case "empty": bytes = []
    case "garbage": bytes = Array("no database at all\n".utf8)
    default: for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
    }
    try Data(bytes).write(to: URL(fileURLWithPath: library))
    if what == "log" { _ = try scratch.write("library.sqlite-wal", "an old log") }
    if what == "log" { _ = try scratch.write("library.sqlite-journal", "an old journal") }
    #expect(try Shell.fleetkit("restore", backup, "--to", library).status == 4)
    let dry = try Shell.fleetkit("restore", backup, "--to", library, "--replace", "--yes", "--dry-run")
    #expect(dry.status == 0, "\(dry.errors)")
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: library))) == bytes)
    // A process that has the library open still reads the old file.
    let file = open(library, O_RDWR)
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_start = 0x4000_0002
    lock.l_len = 510
    #expect(fcntl(file, F_SETLK, &lock) == 0)
    #expect(try Shell.fleetkit("restore", backup, "--to", library, "--replace", "--yes").status == 7)
    close(file)
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: library))) == bytes)
    let answer = try Shell.fleetkit("restore", backup, "--to", library, "--replace", "--yes")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try Restoring.text(library) == before)
    #expect(try SQLiteShell.run(library, "PRAGMA integrity_check;") == "ok\n")
    let folder = library + ".fleetkit/backups/"
    let saved = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-damaged.sqlite") }
      .sorted()
    let name = try #require(saved.first)
    #expect(name.hasSuffix("-damaged.sqlite") && answer.errors.contains(name))
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + name))) == bytes)
    let beside = what == "log" ? [name + "-journal", name + "-wal"] : []
    #expect(saved == [name] + beside + [name + ".fleetkit"])
    // The library's decks are kept, too, because they were undamaged.
    let decks = "SELECT count(*) FROM records;"
    #expect(try SQLiteShell.run(folder + name + ".fleetkit/state.sqlite", decks) == "1\n")
    for name in [name] + beside + [name + ".fleetkit/state.sqlite"] {
      let mode = try FileManager.default.attributesOfItem(atPath: folder + name)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    #expect(!FileManager.default.fileExists(atPath: library + "-wal"))
  }
}
