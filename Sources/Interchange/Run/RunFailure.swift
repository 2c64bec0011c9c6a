import Diagnostics
import JSONText

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

  /// Makes a failure.
  public init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
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
