import Foundation

/// Runs programs that end at a moment that a test chooses: the N-th time that they change a file below a folder.
///
/// A small library, `Fixtures/crash/crash-points.c`, intercepts the program's system calls.
public final class CrashPoints: Sendable {
  /// Why tests that need it are skipped.
  public static let reason = "chosen moments need Linux and a C compiler"

  /// Whether tests that need it run.
  public static let isThere: Bool = {
    #if os(Linux)
      return Shell.has("clang")
    #else
      return false
    #endif
  }()

  private let scratch = Scratch()
  private let library: String
  /// Changes below this folder count.
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

  /// A change of a file.
  public struct Change: Sendable {
    /// Its number, from 1.
    public let number: Int
    /// Microseconds since the program began.
    public let time: Int
    /// `write`, `sync`, `unlink`, `rename` …
    public let call: String
    /// How many bytes a write has.
    public let bytes: Int
    /// The file, below the folder.
    public let path: String
  }

  /// The action at a change.
  public enum Moment: Sendable {
    /// SIGKILL instead of it.
    case kill(Int)
    /// Half of a write, then SIGKILL.
    case tear(Int)
    /// All writes that were not synced are reverted, then SIGKILL, like a power failure.
    case lose(Int)
    /// SIGSTOP before it.
    case stop(Int)
    /// SIGKILL so many microseconds after its start, at any change.
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

  /// The variables for a program's environment.
  public func environment(_ moment: Moment?, log: String? = nil) -> [String: String] {
    var words = ["LD_PRELOAD": library, "FLEETKIT_CRASH_FOLDER": folder]
    if let log { words["FLEETKIT_CRASH_LOG"] = log }
    if let moment {
      words["FLEETKIT_CRASH_AT"] = String(moment.words.at)
      words["FLEETKIT_CRASH_HOW"] = moment.words.how
    }
    return words
  }

  /// Runs a program to its end and lists its changes.
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
