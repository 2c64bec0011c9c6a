import Foundation

/// The reaction of a started process to signals.
public enum ProcessSignals {
  /// Waits until a process handles a signal: before, it would end as the system ends processes, which on a busy machine
  /// may be a second after its start.
  /// - Returns: Whether it does; false when it ended first.
  public static func wait(for process: Process, toHandle signal: Int32) -> Bool {
    while process.isRunning {
      if handles(signal, process.processIdentifier) { return true }
      usleep(500)
    }
    return false
  }

  /// Waits until a process is stopped.
  /// - Returns: Whether it is; false when it ended instead.
  public static func waitUntilStopped(_ process: Process) -> Bool {
    while process.isRunning {
      guard let state = state(process.processIdentifier) else { return true }
      if state == "T" { return true }
      usleep(500)
    }
    return false
  }

  /// Whether a process has a handler for a signal, or ignores it; true, a while later, where the system does not report
  /// it.
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

  /// The letter of its state: R, S, T, Z; nil where the system does not report it.
  private static func state(_ process: Int32) -> Substring? {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // After the name in parentheses comes the state.
    return text?.split(separator: ")").last?.split(separator: " ").first
  }
}
