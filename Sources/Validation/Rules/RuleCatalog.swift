import Content
import Diagnostics

/// The rules that a configuration may refer to.
public struct RuleCatalog: Sendable {
  /// The codes of the rules.
  public let codes: [DiagnosticCode]

  /// Families that are valid even if no code in them is listed.
  private static let families: Set<String> = ["SCH", "JSN", "BND", "LIB", "PUB", "LNT"]

  /// Makes a catalog of rules.
  public init(_ codes: [DiagnosticCode] = RuleSet.codes + DiagnosticCode.all) { self.codes = codes }

  /// Whether a name matches at least one rule, a family or a group.
  public func knows(_ name: RuleName) -> Bool {
    RuleName.groups.contains(name.text) || Self.families.contains(name.text) || codes.contains(where: name.covers)
  }

  /// Returns the rules that a name matches.
  public func codes(_ name: RuleName) -> [DiagnosticCode] { codes.filter(name.covers) }

  /// Whether all rules that a name matches are advice.
  public func isLint(_ name: RuleName) -> Bool {
    name.text == "lint" || name.text.hasPrefix("LNT")
      || (knows(name) && !isFamily(name) && codes(name).allSatisfy(\.isLint))
  }

  /// Returns the one spelling that is used for all names of the same rules, such as `empty-section` and `LNT0203`, or
  /// `lint` and `LNT`.
  public func canonical(_ name: RuleName) -> String {
    switch name.text {
    case "lint": return "LNT"
    case "publish": return "PUB"
    default:
      let meant = codes(name)
      return meant.count == 1 && !isFamily(name) ? meant[0].id : name.text
    }
  }

  /// Returns the name that was probably meant by a misspelled one; nil if no name is similar.
  public func suggestion(for text: String) -> String? {
    // No rule has such a long name.
    guard text.utf8.count <= 200 else { return nil }
    let upper = text.uppercased()
    if upper != text, knows(RuleName(upper)) { return upper }
    let lower = text.lowercased().replacing("_", with: "-").replacing(" ", with: "-")
    if lower != text, knows(RuleName(lower)) { return lower }
    let words = codes.map(\.name) + RuleName.groups
    return Self.nearest(to: text, among: words) ?? Self.nearest(to: upper, among: codes.map(\.id))
  }

  /// Returns the word that was probably meant by a misspelled one; nil if no word is similar.
  package static func nearest(to text: String, among words: [String]) -> String? {
    Spelling.nearest(to: text, among: words)
  }

  private func isFamily(_ name: RuleName) -> Bool {
    RuleName.groups.contains(name.text) || (name.isPrefix && name.text.utf8.count < 7)
  }
}

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
  fileprivate var isPrefix: Bool {
    let bytes = Array(text.utf8)
    return (3...7).contains(bytes.count) && bytes.prefix(3).allSatisfy { $0 >= 0x41 && $0 <= 0x5A }
      && bytes.dropFirst(3).allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }
}

extension DiagnosticCode {
  /// Whether the rule is advice, whose severity a user may change. Other rules are required and always apply.
  public var isLint: Bool { id.hasPrefix("LNT") }
}
