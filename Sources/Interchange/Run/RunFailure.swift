import Diagnostics
import Foundation
import JSONText
import Synchronization

/// Why a run stopped: what could not be done, why, and what to do about it.
public struct RunFailure: Error, CustomStringConvertible, Sendable {
  /// How the process should end.
  public let status: ExitStatus
  /// What could not be done and why, in one line: `read library 'x.sqlite': file is not a database`.
  public let message: String
  /// What to do, as a full sentence; nil when there is nothing to say.
  public let advice: String?

  /// The same as a finding, when it is the content of a text that cannot be used; nil for everything else.
  public let finding: Diagnostic?
  /// Whether the disk was full: the operating system's last complaint when the failure was made.
  package let isDiskFull: Bool

  /// Makes a failure.
  public init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
    isDiskFull = status == .failed && [ENOSPC, EDQUOT].contains(errno)
    self.status = status
    self.message = message
    self.advice = advice
    finding = nil
  }

  /// Makes a failure out of content that cannot be used, with status 2: `validate` reports it like any other finding.
  /// - Parameter message: what is wrong, without the place.
  public init(_ code: DiagnosticCode, _ message: String, at place: Place, advice: String? = nil) {
    status = .failed
    self.message = "\(place.file):\(place.line ?? 1):\(place.column ?? 1): \(message)"
    self.advice = advice
    finding = Diagnostic(code, message, at: place, fix: advice)
    isDiskFull = false
  }

  /// Makes a failure with a status of its own out of a finding: `validate` reports the finding.
  /// - Parameter message: what could not be done and why; nil for the place and what was found there.
  public init(_ status: ExitStatus, _ finding: Diagnostic, message said: String? = nil) {
    self.status = status
    let place = finding.place
    let at = place.line.map { "\(place.file):\($0):\(place.column ?? 1)" } ?? place.description
    message = said ?? "\(at): \(finding.message)"
    advice = finding.fix.isEmpty ? nil : finding.fix.prefix(1).uppercased() + finding.fix.dropFirst() + "."
    self.finding = finding
    isDiskFull = false
  }

  /// A stored record is not JSON: the store is damaged, or another program wrote it.
  public static func damagedRecord(_ error: JSONError) -> RunFailure {
    RunFailure(
      .failed, "read a stored record: it is not JSON: \(error.message)",
      advice: "Restore the library and its folder from a backup; 'fleetkit backups' lists them.")
  }

  /// Message and advice as sentences on one line, for people at a terminal.
  public var sentences: String {
    guard let advice else { return message }
    return message + (message.last.map { ".?!".contains($0) } ?? true ? " " : ". ") + advice
  }

  /// Message and advice in one line.
  public var description: String { advice.map { "\(message) — \($0)" } ?? message }
}

/// How a run ended, as the shell sees it. An interface: tested and frozen.
///
/// When several apply, the one that stands first in `precedence` wins.
public enum ExitStatus: Int32, Encodable, Sendable, CaseIterable {
  /// Done; nothing at or above what the caller asked to fail on.
  case success = 0
  /// Findings: content is invalid, or two sources differ.
  case findings = 1
  /// Failed, nothing written: unreadable or damaged source, disk full.
  case failed = 2
  /// Some records were rejected; the rest is done.
  case partial = 3
  /// Refused to act: a loss under `--no-loss`, a conflict, a target that is already there.
  case refused = 4
  /// A checksum, signature or proof does not match.
  case mismatch = 5
  /// Something newer than this FleetKit would have to be written or understood.
  case newer = 6
  /// Another process holds the lock.
  case locked = 7
  /// The command line or the configuration is wrong.
  case usage = 64
  /// The registry cannot be reached, or a library that the run needs is not installed.
  case unreachable = 69
  /// FleetKit contradicts itself; please report it.
  case internalError = 70
  /// Signing in is needed.
  case signInNeeded = 77
  /// Interrupted by the user.
  case interrupted = 130

  /// Strongest first.
  public static let precedence: [ExitStatus] = [
    .internalError, .usage, .interrupted, .locked, .newer, .mismatch, .signInNeeded, .unreachable, .failed,
    .refused, .partial, .findings, .success,
  ]

  /// The stronger of two.
  public func combined(with other: ExitStatus) -> ExitStatus {
    Self.precedence.first { $0 == self || $0 == other } ?? self
  }
}

/// What the operating system last complained about.
package enum SystemError {
  package static var last: String { text(errno) }
  package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// Ctrl-C and termination, noticed between batches so that nothing is left half done.
public enum Interruption {
  private static let flag = Atomic<Bool>(false)
  private static let first = Atomic<Int32>(0)

  /// Makes SIGINT and SIGTERM end the run at the next safe moment; a second one ends it at once.
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
    // The program that started this may have blocked them, as threads of a pool do.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    // A reader that goes away (| head) shows as an error of write, not as a signal.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Whether the user asked to stop.
  public static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Whether it was another program that asked, not a person at the keyboard.
  public static var isTermination: Bool { first.load(ordering: .relaxed) == SIGTERM }

  /// Stops the run when the user asked for it.
  /// - Throws: `RunFailure` with status 130.
  public static func check() throws {
    if isRequested { throw RunFailure(.interrupted, "interrupted; nothing was written") }
  }
}
