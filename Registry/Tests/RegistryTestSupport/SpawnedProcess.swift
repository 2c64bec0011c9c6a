import Foundation
import Synchronization

/// A program that is started with `posix_spawn`.
///
/// No test here uses Foundation's `Process`: while other threads open and close files, its `run` sometimes fails with
/// "Bad file descriptor" or crashes the tests while it reads the list of open files.
public final class SpawnedProcess: Sendable {
  /// The process's number.
  public let number: pid_t
  private let status = Mutex<Int32?>(nil)

  /// The lock that is held while a pipe is made and while a program is started: a program that inherited another
  /// program's pipe would keep it open after that program has ended.
  private static let starting = Mutex(())

  /// Makes a pipe that no other program inherits.
  public static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    let code = starting.withLock { _ in
      let code = Foundation.pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return code
    }
    guard code == 0 else { throw Failure(description: "make a pipe: \(String(cString: strerror(errno)))") }
    return (ends[0], ends[1])
  }

  /// An action that failed.
  public struct Failure: Error, CustomStringConvertible {
    /// The action, and why it failed.
    public let description: String
  }

  /// Starts a program by its path.
  /// - Parameters:
  ///   - environment: the environment variables; nil for the tests' own variables.
  ///   - input: the descriptor that becomes the program's standard input; nil for none. The same applies to `output`
  ///     and `errors`.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil, input: Int32? = nil,
    output: Int32? = nil, errors: Int32? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, target) in [(input, Int32(0)), (output, 1), (errors, 2)] {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, target)
      } else {
        posix_spawn_file_actions_addopen(&actions, target, "/dev/null", target == 0 ? O_RDONLY : O_WRONLY, 0)
      }
    }
    let words = ([program] + arguments).map { strdup($0) }
    let variables = environment.map { $0.map { strdup("\($0)=\($1)") } } ?? []
    defer { for text in words + variables { free(text) } }
    var number: pid_t = 0
    let code = Self.starting.withLock { _ in
      environment == nil
        ? posix_spawn(&number, program, &actions, nil, words + [nil], environ)
        : posix_spawn(&number, program, &actions, nil, words + [nil], variables + [nil])
    }
    guard code == 0 else { throw Failure(description: "start \(program): \(String(cString: strerror(code)))") }
    self.number = number
  }

  /// Waits for the program to end.
  /// - Returns: the exit status, or the negative number of the signal that ended it.
  @discardableResult public func wait() -> Int32 {
    status.withLock { known in
      if let known { return known }
      var status: Int32 = 0
      while waitpid(number, &status, 0) < 0, errno == EINTR {}
      let end = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
      known = end
      return end
    }
  }

  /// Whether the program has ended; its status can still be requested.
  public var hasEnded: Bool {
    status.withLock { known in
      if known != nil { return true }
      var information = siginfo_t()
      guard waitid(P_PID, id_t(number), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return true }
      return information.si_signo != 0
    }
  }

  /// Runs a program to its end.
  /// - Returns: the program's exit status, as in `wait`, and its output, including errors.
  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil
  ) throws -> (status: Int32, output: String) {
    // The output goes to a file: a pipe that is not read in time would block the program.
    let scratch = Scratch()
    let log = open(scratch["output"], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw Failure(description: "make a file: \(String(cString: strerror(errno)))") }
    defer { close(log) }
    let status = try SpawnedProcess(program, arguments, environment: environment, output: log, errors: log).wait()
    return (status, try String(contentsOfFile: scratch["output"], encoding: .utf8))
  }

  /// Ends a program that is still running.
  deinit {
    if !hasEnded { kill(number, SIGKILL) }
    _ = wait()
  }
}
