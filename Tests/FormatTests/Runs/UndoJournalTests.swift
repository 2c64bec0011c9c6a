import FleetKit
import Foundation
import TestSupport
import Testing

/// A damaged journal causes an error, but never a trap or a changed library.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct UndoJournalTests {
  @Test func aDamagedJournalChangesNothing() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    let lines = (0..<40).map { String(format: "%08X-1111-4111-8111-111111111111", $0) }
    try UndoPropertyTests.run(
      [try scratch.write("a.jsonl", lines.map { ImportTests.line($0, "T") }.joined())], library, .replace)
    let journal = URL(fileURLWithPath: library + ".fleetkit/undo/1.journal")
    let sound = try Data(contentsOf: journal)
    let image = try LibraryImage(library)
    var random = SeededRandom(seed: 5)
    for round in 0..<60 {
      var bytes = sound
      switch round % 3 {
      case 0: bytes = bytes.prefix(random.below(bytes.count))
      case 1: bytes[random.below(bytes.count)] ^= UInt8(1 + random.below(255))
      default:
        let at = random.below(bytes.count)
        for index in at..<min(at + 8, bytes.count) { bytes[index] = 0xFF }
      }
      try bytes.write(to: journal)
      do {
        var undo = UndoRun(1, of: library)
        undo.dryRun = true
        let report = try undo.run()
        // Frames have checksums, so every frame that can be read is as it was written.
        #expect(report.removedCount == 40, "round \(round)")
      } catch let failure as RunFailure {
        #expect(failure.status == .failed || failure.status == .refused, "\(failure.message)")
      }
      #expect(try LibraryImage(library) == image)
    }
    try sound.write(to: journal)
    #expect(try UndoRun(1, of: library).run().removed == ["item": 40])
  }

  @Test func aJournalOfAnotherStoreIsNone() throws {
    let scratch = Scratch()
    let first = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    let second = try scratch.writable("library-v2.2.0.sqlite", as: "m.sqlite")
    let source = try scratch.write("a.jsonl", ImportTests.line("11111111-1111-4111-8111-111111111111", "T"))
    for library in [first, second] { try UndoPropertyTests.run([source], library, .replace) }
    let path = ".fleetkit/undo/1.journal"
    try FileManager.default.removeItem(atPath: second + path)
    try FileManager.default.copyItem(atPath: first + path, toPath: second + path)
    let image = try LibraryImage(second)
    #expect(throws: RunFailure.self) { try UndoRun(1, of: second).run() }
    #expect(try LibraryImage(second) == image)
  }
}
