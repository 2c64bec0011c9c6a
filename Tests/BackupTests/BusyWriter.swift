import Foundation
import TestSupport

/// Another process that writes to a library without pausing, at up to a thousand transactions per second. Each
/// transaction stores a counter in several tables.
struct BusyWriter {
  private static let program = """
    import os, sqlite3, sys, time
    library, mode, stop, ready, first = sys.argv[1:]
    base = sqlite3.connect(library, timeout=10, isolation_level=None)
    base.execute("PRAGMA journal_mode = " + mode)
    base.execute("PRAGMA synchronous = OFF")
    count = 0
    longest = 0.0
    begun = time.monotonic()
    while not os.path.exists(stop):
        count += 1
        start = time.monotonic()
        base.execute("BEGIN IMMEDIATE")
        base.execute("UPDATE charters SET name = ?", (str(count),))
        base.execute("UPDATE checklists SET title = ?", (str(count),))
        base.execute("INSERT INTO stamps(n) VALUES (?)", (count,))
        base.execute("COMMIT")
        longest = max(longest, time.monotonic() - start)
        if count == int(first): open(ready, "w").close()
        time.sleep(max(0, begun + count / 1000 - time.monotonic()))
    print(count, longest, count / (time.monotonic() - begun))
    """

  /// The writer's results.
  struct Figures {
    /// The total number of transactions.
    let count: Int
    /// The duration of the slowest transaction in seconds, including waiting.
    let longest: Double
    /// Transactions per second, including waiting.
    let rate: Double
  }

  /// The output of a writer that reported no figures.
  struct Complaint: Error {
    let text: String
  }

  /// A query that returns three lines: the number of different counters in the tables of a library, which is 1 when
  /// they agree; the counter; and the result of the integrity check.
  static let look = """
    SELECT count(*) FROM (SELECT name FROM charters UNION SELECT title FROM checklists
      UNION SELECT CAST(max(n) AS TEXT) FROM stamps UNION SELECT CAST(count(*) AS TEXT) FROM stamps);
    SELECT max(n) FROM stamps;
    PRAGMA integrity_check;
    """

  private let scratch: Scratch
  private let library: String
  private let mode: String

  /// Prepares a library with a table that counts transactions and `ballast` rows of three thousand random bytes.
  init(_ library: String, mode: String, ballast: Int, in scratch: Scratch) throws {
    self.library = library
    self.mode = mode
    self.scratch = scratch
    try SQLiteShell.run(
      library,
      """
      CREATE TABLE stamps (n INTEGER);
      CREATE TABLE ballast (body BLOB);
      WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < \(ballast))
      INSERT INTO ballast SELECT randomblob(3000) FROM many;
      """)
  }

  /// Writes at least `first` transactions, then runs the body and keeps writing until it returns.
  func write(first: Int = 50, during body: () throws -> Void) throws -> Figures {
    try SQLiteShell.run(library, "DELETE FROM stamps;")
    let round = UUID().uuidString
    let (stop, ready) = (scratch["stop-" + round], scratch["ready-" + round])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = try scratch.write("writer.py", Self.program)
    process.arguments = ["python3", script, library, mode, stop, ready, String(first)]
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    while process.isRunning, !FileManager.default.fileExists(atPath: ready) { usleep(5000) }
    try body()
    _ = FileManager.default.createFile(atPath: stop, contents: nil)
    process.waitUntilExit()
    let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let figures = answer.split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .newlines)) }
    guard figures.count == 3 else {
      throw Complaint(text: String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
    return Figures(count: Int(figures[0]), longest: figures[1], rate: figures[2])
  }
}
