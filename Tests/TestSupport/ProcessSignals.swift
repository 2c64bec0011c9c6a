import Foundation

/// Waiting for a process's reaction to signals.
public enum ProcessSignals {
  /// Waits until a process handles a signal. Until then, the signal would have its default effect, and on a busy
  /// machine a process may need a second to install its handler.
  /// - Returns: whether the process handles the signal; false when it ended first.
  public static func wait(for process: Process, toHandle signal: Int32) -> Bool {
    while process.isRunning {
      if handles(signal, process.processIdentifier) { return true }
      usleep(500)
    }
    return false
  }

  /// Waits until a process is stopped.
  /// - Returns: whether the process is stopped; false when it ended instead.
  public static func waitUntilStopped(_ process: Process) -> Bool {
    while process.isRunning {
      guard let state = state(process.processIdentifier) else { return true }
      if state == "T" { return true }
      usleep(500)
    }
    return false
  }

  /// Whether a process handles or ignores a signal. If the system does not report this, the function waits a while and
  /// returns true.
  private static func handles(_ signal: Int32, _ process: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else {
      usleep(500_000)
      return true
    }
    return status.split(separator: "\n").contains { line in
      guard line.hasPrefix("SigCgt:") || line.hasPrefix("SigIgn:"), let mask = line.split(separator: "\t").last else {
        return false
      }
      return UInt64(mask, radix: 16).map { $0 & 1 << UInt64(signal - 1) != 0 } ?? false
    }
  }

  /// Returns the letter of a process's state (R, S, T, Z); nil if the system does not report it.
  private static func state(_ process: Int32) -> Substring? {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The process state follows the name in parentheses.
    return text?.split(separator: ")").last?.split(separator: " ").first
  }
}
