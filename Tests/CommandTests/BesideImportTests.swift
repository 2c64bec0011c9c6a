import FleetKit
import Foundation
import TestSupport
import Testing

/// The results of other commands while an import is running. The import is stopped at the decisive moments, and every
/// command is tried. A reading command succeeds or exits with 7, a writing command exits with 7, and no command waits
/// forever.
@Suite(
  .serialized, .enabled(if: CrashPoints.isThere, "\(CrashPoints.reason)"),
  .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct BesideImportTests {
  /// The number of seconds after which a command counts as hanging.
  private static let patience = "60"

  @Test(arguments: [CrashWorld.Job.update, .updateLogged])
  func everybodyIsAnswered(_ job: CrashWorld.Job) throws {
    let world = try CrashWorld(job)
    let points = try CrashPoints(world.folder)
    let changes = try Self.changes(of: world, points)
    let marks = try CrashWorld.Landmarks(changes)
    // The import is stopped in the middle of the work, before and after the ledger records the import's intention, in
    // the middle of the library's commit, and after the commit.
    let middle = (marks.pages.number + marks.noted.number) / 2
    for number in [marks.journal.number, marks.intended.number, marks.intended.number + 1, middle, marks.noted.number] {
      try Self.ask(world, points, stoppedAt: changes[number - 1])
    }
  }

  /// A ledger change that is too large for memory is written to the file before the commit, which locks out readers.
  @Test func runsAreListedWhileTheLedgerIsWritten() throws {
    let world = try CrashWorld(.update, decks: 200)
    let points = try CrashPoints(world.folder)
    let changes = try Self.changes(of: world, points)
    let journal = try #require(changes.firstIndex { $0.path.hasSuffix(".journal") })
    let spill = changes[journal...].firstIndex { $0.path.hasSuffix("/state.sqlite") && $0.call == "write" }
    let end = try #require(changes.firstIndex { $0.path.hasSuffix(".journal") && $0.call == "sync" })
    let moment = try #require(spill)
    #expect(moment < end, "the ledger fits into memory: the test shows nothing")
    try Self.ask(world, points, stoppedAt: changes[moment + 1])
  }

  private static func changes(of world: CrashWorld, _ points: CrashPoints) throws -> [CrashPoints.Change] {
    try world.layOut()
    let (answer, changes) = try points.changes(of: Paths.command, world.arguments, environment: CrashWorld.epoch)
    try #require(answer.status == world.status, "\(answer.errors)")
    return changes
  }

  /// Stops the import at a moment, runs all commands concurrently, and then continues the import.
  private static func ask(_ world: CrashWorld, _ points: CrashPoints, stoppedAt change: CrashPoints.Change) throws {
    let moment = "stopped at \(change.number): \(change.call) \(change.path)"
    try world.layOut()
    let importing = try world.start(points.environment(.stop(change.number)))
    defer { kill(importing.processIdentifier, SIGCONT) }
    try #require(waitUntilStopped(importing.processIdentifier), "\(moment)")
    let source = world.arguments[1]
    let library = world.library
    let questions: [(words: [String], allowed: Set<Int32>)] = [
      (["runs", library], [0]), (["runs", "show", "2", "--library", library], [0]),
      (["list", library, "--json"], [0, 7]),
      (["doctor", library], [0, 1, 7]), (["inspect", library], [0, 7]), (["import", source, "--into", library], [7]),
      (["import", "--resume", "2", "--into", library], [7]), (["undo", "1", "--library", library], [7]),

      // When `doctor` finds nothing to repair, it only reads.
      (["doctor", library, "--repair"], [0, 7]),
    ]
    let asked = try questions.enumerated().map { index, question in
      try Asked(question.words, output: world.scratch["answer-\(index)"])
    }
    for (question, asked) in zip(questions, asked) {
      let status = asked.wait()
      let words = question.words.joined(separator: " ")
      #expect(status != 124, "\(moment): '\(words)' hangs")
      #expect(question.allowed.contains(status), "\(moment): '\(words)' ended with \(status): \(asked.errors)")
      if question.words[0] == "list", status == 0 { try world.expectKnownRecords(asked.output, moment) }
      if question.words == ["runs", library] {
        #expect(asked.output.contains("running"), "\(moment): \(asked.output)")
      }
    }
    kill(importing.processIdentifier, SIGCONT)
    importing.waitUntilExit()
    #expect(importing.terminationStatus == world.status, "\(moment)")
    let found = try CrashWorld.Image(library)
    let isSame = found == world.after
    #expect(isSame, "\(moment): \(found.difference(world.after))")
  }

  /// Waits until a process has stopped. Returns false when the process ended instead.
  private static func waitUntilStopped(_ process: Int32) -> Bool {
    for _ in 0..<6000 {
      // The process state follows the name in parentheses.
      guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let state = text.split(separator: ")").last?.split(separator: " ").first
      else { return false }
      if state == "T" { return true }
      if state == "Z" { return false }
      usleep(10_000)
    }
    return false
  }

  /// A command that was started and has not ended yet.
  private final class Asked {
    private let process = Process()
    private let path: String

    init(_ words: [String], output path: String) throws {
      self.path = path
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["timeout", BesideImportTests.patience, Paths.command] + words
      for ending in [".out", ".err"] { _ = FileManager.default.createFile(atPath: path + ending, contents: nil) }
      process.standardOutput = FileHandle(forWritingAtPath: path + ".out")
      process.standardError = FileHandle(forWritingAtPath: path + ".err")
      process.standardInput = FileHandle.nullDevice
      try process.run()
    }

    func wait() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }

    var output: String { (try? String(contentsOfFile: path + ".out", encoding: .utf8)) ?? "" }
    var errors: String { (try? String(contentsOfFile: path + ".err", encoding: .utf8)) ?? "" }
  }
}
