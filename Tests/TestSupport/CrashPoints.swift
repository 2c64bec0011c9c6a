import Foundation

/// Runs programs that end at a chosen moment: at the N-th change to a file below a folder.
///
/// A small library, `Fixtures/crash/crash-points.c`, intercepts the program's system calls.
public final class CrashPoints: Sendable {
  /// The reason for which tests that need chosen moments are skipped.
  public static let reason = "chosen moments need Linux and a C compiler"

  /// Whether tests that need chosen moments run.
  public static let isThere: Bool = {
    #if os(Linux)
      return Shell.has("clang")
    #else
      return false
    #endif
  }()

  private let scratch = Scratch()
  private let library: String
  /// The folder below which changes count.
  public let folder: String

  /// Compiles the library.
  public init(_ folder: String) throws {
    self.folder = folder
    library = scratch["crash-points.so"]
    let answer = try Shell.run(
      "clang",
      ["-O1", "-shared", "-fPIC", "-pthread", "-o", library, Paths.root + "/Tests/Fixtures/crash/crash-points.c"])
    guard answer.status == 0 else { throw SQLiteShell.Complaint(text: answer.errors) }
  }

  /// A change to a file.
  public struct Change: Sendable {
    /// The number of the change, starting at 1.
    public let number: Int
    /// Microseconds since the start of the program.
    public let time: Int
    /// The system call: `write`, `sync`, `unlink`, `rename` …
    public let call: String
    /// The number of bytes in a write.
    public let bytes: Int
    /// The path of the file, relative to the folder.
    public let path: String
  }

  /// The action at a change.
  public enum Moment: Sendable {
    /// Sends SIGKILL instead of making the change.
    case kill(Int)
    /// Makes half of a write, then sends SIGKILL.
    case tear(Int)
    /// Reverts all writes that were not synced, then sends SIGKILL, which simulates a power failure.
    case lose(Int)
    /// Sends SIGSTOP before the change.
    case stop(Int)
    /// Sends SIGKILL the given number of microseconds after the start, at any change.
    case after(Int, microseconds: Int)

    var words: (at: Int, how: String) {
      switch self {
      case .kill(let at): return (at, "kill")
      case .tear(let at): return (at, "tear")
      case .lose(let at): return (at, "lose")
      case .stop(let at): return (at, "stop")
      case .after(let at, let microseconds): return (at, String(microseconds))
      }
    }
  }

  /// Returns the variables for a program's environment.
  public func environment(_ moment: Moment?, log: String? = nil) -> [String: String] {
    var words = ["LD_PRELOAD": library, "FLEETKIT_CRASH_FOLDER": folder]
    if let log { words["FLEETKIT_CRASH_LOG"] = log }
    if let moment {
      words["FLEETKIT_CRASH_AT"] = String(moment.words.at)
      words["FLEETKIT_CRASH_HOW"] = moment.words.how
    }
    return words
  }

  /// Runs a program to its end and returns its changes.
  public func changes(
    of program: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (answer: Answer, changes: [Change]) {
    let log = scratch["log-" + UUID().uuidString]
    let answer = try Shell.run(
      program, arguments, environment: environment.merging(self.environment(nil, log: log)) { $1 })
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    let changes = text.split(separator: "\n").compactMap { line -> Change? in
      let parts = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false)
      guard parts.count == 5, let number = Int(parts[0]), let time = Int(parts[1]), let bytes = Int(parts[3]) else {
        return nil
      }
      return Change(number: number, time: time, call: String(parts[2]), bytes: bytes, path: String(parts[4]))
    }
    return (answer, changes)
  }
}
