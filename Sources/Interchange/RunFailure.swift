import Diagnostics
import Foundation
import JSONText
import Synchronization

/// The reason why a run stopped: the action that failed, why it failed, and what to do about it.
public struct RunFailure: Error, CustomStringConvertible, Sendable {
  /// The exit status of the process.
  public let status: ExitStatus
  /// The action that failed and why, on one line: `read library 'x.sqlite': file is not a database`.
  public let message: String
  /// What to do, as a full sentence; nil if there is no advice.
  public let advice: String?

  /// The failure as a finding, if a source's content cannot be used; otherwise nil.
  public let finding: Diagnostic?
  /// Whether the disk was full, according to the last error of the operating system when the failure was created.
  package let isDiskFull: Bool

  /// Creates a failure.
  public init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
    isDiskFull = status == .failed && [ENOSPC, EDQUOT].contains(errno)
    self.status = status
    self.message = message
    self.advice = advice
    finding = nil
  }

  /// Creates a failure about content that cannot be used, with status 2. `validate` reports it like any other finding.
  /// - Parameter message: what is wrong, without the place.
  public init(_ code: DiagnosticCode, _ message: String, at place: Place, advice: String? = nil) {
    status = .failed
    self.message = "\(place.file):\(place.line ?? 1):\(place.column ?? 1): \(message)"
    self.advice = advice
    finding = Diagnostic(code, message, at: place, fix: advice)
    isDiskFull = false
  }

  /// Creates a failure with its own status from a finding, which `validate` reports.
  /// - Parameter message: the action that failed and why; nil to use the place and the finding's message.
  public init(_ status: ExitStatus, _ finding: Diagnostic, message text: String? = nil) {
    self.status = status
    let place = finding.place
    let at = place.line.map { "\(place.file):\($0):\(place.column ?? 1)" } ?? place.description
    message = text ?? "\(at): \(finding.message)"
    advice = finding.fix.isEmpty ? nil : finding.fix.prefix(1).uppercased() + finding.fix.dropFirst() + "."
    self.finding = finding
    isDiskFull = false
  }

  /// Creates the failure for a stored record that is not JSON, because the store is damaged or another program wrote
  /// the record.
  public static func damagedRecord(_ error: JSONError) -> RunFailure {
    RunFailure(
      .failed, "read a stored record: it is not JSON: \(error.message)",
      advice: "Restore the library and its folder from a backup; 'fleetkit backups' lists them.")
  }

  /// The message and the advice as sentences on one line, for a terminal.
  public var sentences: String {
    guard let advice else { return message }
    return message + (message.last.map { ".?!".contains($0) } ?? true ? " " : ". ") + advice
  }

  /// The message and the advice on one line.
  public var description: String { advice.map { "\(message) — \($0)" } ?? message }
}

/// The exit status of a run. It is a tested and frozen interface.
///
/// If several statuses apply, the one that comes first in `precedence` is used.
public enum ExitStatus: Int32, Encodable, Sendable, CaseIterable {
  /// The run succeeded, without findings that the caller wanted to fail on.
  case success = 0
  /// Findings: content is invalid, or two sources differ.
  case findings = 1
  /// The run failed and wrote nothing, because a source is unreadable or damaged, or the disk is full.
  case failed = 2
  /// Some records were rejected; the rest were processed.
  case partial = 3
  /// The run refused to act because of a loss under `--no-loss`, a conflict, or an existing target.
  case refused = 4
  /// A checksum, signature or proof does not match.
  case mismatch = 5
  /// The run would have to write or understand data that is newer than this version of FleetKit.
  case newer = 6
  /// Another process holds the lock.
  case locked = 7
  /// The command line or the configuration is wrong.
  case usage = 64
  /// The registry cannot be reached, or a software library that the run needs is not installed.
  case unreachable = 69
  /// FleetKit had an internal error, which should be reported.
  case internalError = 70
  /// The user must sign in.
  case signInNeeded = 77
  /// The user interrupted the run.
  case interrupted = 130

  /// All statuses, with the strongest first.
  public static let precedence: [ExitStatus] = [
    .internalError, .usage, .interrupted, .locked, .newer, .mismatch, .signInNeeded, .unreachable, .failed,
    .refused, .partial, .findings, .success,
  ]

  /// Returns the stronger of two statuses.
  public func combined(with other: ExitStatus) -> ExitStatus {
    Self.precedence.first { $0 == self || $0 == other } ?? self
  }
}

/// The last error of the operating system.
package enum SystemError {
  package static var last: String { text(errno) }
  package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// Ctrl-C and termination requests, checked between batches so that no work is left half done.
public enum Interruption {
  private static let flag = Atomic<Bool>(false)
  private static let first = Atomic<Int32>(0)

  /// Makes SIGINT and SIGTERM end the run at the next safe moment. A second signal ends the run immediately.
  public static func install() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { received in
        if Interruption.flag.exchange(true, ordering: .relaxed) {
          signal(received, SIG_DFL)
          raise(received)
        }
        Interruption.first.store(received, ordering: .relaxed)
      }
    }
    // The program that started this process may have blocked these signals, as threads of a pool do.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    // If a reader closes the pipe (| head), this causes a write error and not a signal.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Whether the user asked to stop.
  public static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Whether another program sent the request, and not a person at the keyboard.
  public static var isTermination: Bool { first.load(ordering: .relaxed) == SIGTERM }

  /// Stops the run if the user requested it.
  /// - Throws: `RunFailure` with status 130.
  public static func check() throws {
    if isRequested { throw RunFailure(.interrupted, "interrupted; nothing was written") }
  }
}
