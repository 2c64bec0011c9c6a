/// Why a run stopped: what could not be done, why, and what to do about it.
public struct RunFailure: Error, CustomStringConvertible, Sendable {
  /// How the process should end.
  public let status: ExitStatus
  /// What could not be done and why, in one line: `read library 'x.sqlite': file is not a database`.
  public let message: String
  /// What to do, as a full sentence; nil when there is nothing to say.
  public let advice: String?

  /// Makes a failure.
  public init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
    self.status = status
    self.message = message
    self.advice = advice
  }

  /// Message and advice in one line.
  public var description: String { advice.map { "\(message) — \($0)" } ?? message }
}
