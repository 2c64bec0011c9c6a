import Diagnostics

/// A name for rules in a configuration or on a command line. It names one rule by name (`empty-section`) or code
/// (`LNT0203`), a family by the beginning of its codes (`LNT`, `LNT02`), or a group (`all`, `lint`, `publish`).
public struct RuleName: Hashable, Sendable, CustomStringConvertible {
  /// The name as it was written.
  public let text: String

  /// Makes a name without checking it. `RuleCatalog` determines whether a rule has the name.
  public init(_ text: String) { self.text = text }

  /// The name as it was written.
  public var description: String { text }

  /// The groups.
  public static let groups = ["all", "lint", "publish"]

  /// Whether the name matches a rule.
  public func covers(_ code: DiagnosticCode) -> Bool {
    switch text {
    case "all": true
    case "lint": code.isLint
    case "publish": code.id.hasPrefix("PUB")
    default: code.name == text || (isPrefix && code.id.hasPrefix(text))
    }
  }

  /// The specificity of the name. A rule is more specific than a family, and a family is more specific than a group.
  var closeness: Int {
    switch text {
    case "all": 0
    case "lint", "publish": 1
    default: isPrefix ? text.utf8.count : .max
    }
  }

  /// Whether the text is the beginning of a code: three letters and up to four digits.
  var isPrefix: Bool {
    let bytes = Array(text.utf8)
    return (3...7).contains(bytes.count) && bytes.prefix(3).allSatisfy { $0 >= 0x41 && $0 <= 0x5A }
      && bytes.dropFirst(3).allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }
}

extension DiagnosticCode {
  /// Whether the rule is advice, whose severity a user may change. Other rules are required and always apply.
  public var isLint: Bool { id.hasPrefix("LNT") }
}
