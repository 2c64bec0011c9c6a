import Content
import Diagnostics

/// The rules that a configuration may speak of.
public struct RuleCatalog: Sendable {
  /// Their codes.
  public let codes: [DiagnosticCode]

  /// Families that are known even where none of their codes is listed.
  private static let families: Set<String> = ["SCH", "JSN", "BND", "LIB", "PUB", "LNT"]

  /// Lists rules.
  public init(_ codes: [DiagnosticCode] = RuleSet.codes + DiagnosticCode.all) { self.codes = codes }

  /// Whether a name means at least one rule, a family or a group.
  public func knows(_ name: RuleName) -> Bool {
    RuleName.groups.contains(name.text) || Self.families.contains(name.text) || codes.contains(where: name.covers)
  }

  /// The rules that a name means.
  public func codes(_ name: RuleName) -> [DiagnosticCode] { codes.filter(name.covers) }

  /// Whether everything that a name means is advice.
  public func isLint(_ name: RuleName) -> Bool {
    name.text == "lint" || name.text.hasPrefix("LNT")
      || (knows(name) && !isFamily(name) && codes(name).allSatisfy(\.isLint))
  }

  /// A spelling that two names share when they mean the same rules: `empty-section` and `LNT0203`, `lint` and `LNT`.
  public func canonical(_ name: RuleName) -> String {
    switch name.text {
    case "lint": return "LNT"
    case "publish": return "PUB"
    default:
      let meant = codes(name)
      return meant.count == 1 && !isFamily(name) ? meant[0].id : name.text
    }
  }

  /// The name that a misspelled one was meant to be; nil when none is near.
  public func suggestion(for text: String) -> String? {
    // No name of a rule is as long.
    guard text.utf8.count <= 200 else { return nil }
    let upper = text.uppercased()
    if upper != text, knows(RuleName(upper)) { return upper }
    let lower = text.lowercased().replacing("_", with: "-").replacing(" ", with: "-")
    if lower != text, knows(RuleName(lower)) { return lower }
    let words = codes.map(\.name) + RuleName.groups
    return Self.nearest(to: text, among: words) ?? Self.nearest(to: upper, among: codes.map(\.id))
  }

  /// The word that a misspelled one was meant to be; nil when none is near.
  package static func nearest(to text: String, among words: [String]) -> String? {
    Spelling.nearest(to: text, among: words)
  }

  private func isFamily(_ name: RuleName) -> Bool {
    RuleName.groups.contains(name.text) || (name.isPrefix && name.text.utf8.count < 7)
  }
}
