/// How a run ended, as the shell sees it. An interface: tested and frozen.
///
/// When several apply, the one that stands first in `precedence` wins.
public enum ExitStatus: Int32, Sendable, CaseIterable {
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
  /// The registry cannot be reached.
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
