import Content
import Diagnostics
import JSONText

/// One requirement for content, checked record by record.
///
/// One rule is one file. Its doc comment is its published page (docs/rules), and the examples in it run as tests. A
/// fenced block `json good` must have no findings, `json bad POINTER…` exactly those. A rule sees every item once, in
/// source order, on one thread, and keeps its state until the end of the run.
public protocol Rule: SendableMetatype {
  /// The code, name, severity and texts.
  static var code: DiagnosticCode { get }
  /// When the rule is applied.
  static var layer: RuleLayer { get }

  /// Rules that report the same about a value and have priority: where one of them has a finding, this rule has none.
  static var yieldsTo: [DiagnosticCode] { get }

  /// Whether the rule uses the ids of other records (`RuleReport.ids`), which are kept only then.
  static var comparesIDs: Bool { get }

  /// Makes the rule for one run.
  init(limits: RuleLimits)

  /// Checks one item.
  mutating func check(_ item: ItemOutline, _ report: RuleReport)

  /// Checks a record that is not an item: a charter, an execution, a queue row.
  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport)

  /// Reports findings that are known only after the last record.
  mutating func finish(_ report: RuleReport)
}

extension Rule {
  /// Most rules are advice.
  public static var layer: RuleLayer { .lint }
  /// Most rules do not overlap with others.
  public static var yieldsTo: [DiagnosticCode] { [] }
  /// Most rules check each record by itself.
  public static var comparesIDs: Bool { false }
  /// Does nothing: the rule does not check items.
  public mutating func check(_ item: ItemOutline, _ report: RuleReport) {}
  /// Does nothing: the rule does not check other records.
  public mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {}
  /// Does nothing: the rule has no late findings.
  public mutating func finish(_ report: RuleReport) {}
}

/// When a rule is applied.
public enum RuleLayer: String, Sendable, CaseIterable {
  /// Requirements of the app and the registry for everything that is sent; applied with `--profile publish` and before
  /// each send.
  case publish
  /// Good seamanship and good text; always applied.
  case lint
}

/// Settings of rules in `.fleetkit.yml`.
public struct RuleLimits: Sendable, Equatable {
  /// The number of characters of a step that can be read at a glance.
  public var glanceCharacters = 120
  /// The greatest credible number of minutes for a single step; four times as many in maintenance.
  public var checklistMinutes = 120
  /// The number of steps that a section may have before it should be split.
  public var sectionSteps = 25
  /// Words that the rule about secrets allows.
  public var knownWords: Set<String> = []

  /// The default settings.
  public init() {}
}
