import Content
import Diagnostics

/// Every rule that there is; a new one is one more line here.
public enum RuleSet {
  /// What the app and the registry require, in the order of codes.
  public static let publish: [any Rule.Type] = []

  /// Advice, in the order of codes.
  public static let lint: [any Rule.Type] = [
    NoRequiredAndOptional.self
  ]

  /// All of them.
  public static let all: [any Rule.Type] = publish + lint

  /// Their codes.
  public static let codes: [DiagnosticCode] = all.map { $0.code }
}
