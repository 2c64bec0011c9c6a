/// How much a finding matters.
public enum Severity: Int, Comparable, Sendable, CaseIterable, CustomStringConvertible {
  /// Worth knowing; nothing needs to be done.
  case note
  /// Something will surprise somebody.
  case warning
  /// Content is lost, hidden or refused somewhere if nothing is done.
  case error

  /// A note is less than a warning, a warning less than an error.
  public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }

  /// The word that reports print.
  public var description: String {
    switch self {
    case .note: "note"
    case .warning: "warning"
    case .error: "error"
    }
  }
}
