import Content
import Diagnostics
import JSONText

/// One requirement for content, which is checked record by record.
///
/// Each rule has its own file. The rule's doc comment becomes its published page (docs/rules), and the examples in the
/// comment run as tests. A fenced block `json good` must have no findings; a block `json bad POINTER…` must have
/// findings at exactly those pointers. A rule sees every item once, in source order and on one thread. It keeps its
/// state until the end of the run.
public protocol Rule: SendableMetatype {
  /// The code, name, severity and texts.
  static var code: DiagnosticCode { get }
  /// The layer, which determines when the rule is applied.
  static var layer: RuleLayer { get }

  /// The rules that report the same problem with a value and have priority over this one. If one of them has a finding,
  /// this rule does not report one.
  static var yieldsTo: [DiagnosticCode] { get }

  /// Whether the rule uses the ids of other records (`RuleReport.ids`), which are stored only for such rules.
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
  /// Lint, because most rules are advice.
  public static var layer: RuleLayer { .lint }
  /// Empty, because most rules do not overlap with others.
  public static var yieldsTo: [DiagnosticCode] { [] }
  /// False, because most rules check each record independently.
  public static var comparesIDs: Bool { false }
  /// Does nothing, for rules that do not check items.
  public mutating func check(_ item: ItemOutline, _ report: RuleReport) {}
  /// Does nothing, for rules that do not check other records.
  public mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {}
  /// Does nothing, for rules without late findings.
  public mutating func finish(_ report: RuleReport) {}
}

/// The layer of a rule, which determines when it is applied.
public enum RuleLayer: String, Sendable, CaseIterable {
  /// Requirements of the app and the registry for content that is sent. Applied with `--profile publish` and before
  /// each send.
  case publish
  /// Good seamanship and good writing. Always applied.
  case lint
}

/// Rule settings in `.fleetkit.yml`.
public struct RuleLimits: Sendable, Equatable {
  /// The maximum number of characters of a step that can be read at a glance.
  public var glanceCharacters = 120
  /// The maximum credible number of minutes for a single step. In maintenance checklists, four times as many are
  /// credible.
  public var checklistMinutes = 120
  /// The maximum number of steps in a section that need not be split.
  public var sectionSteps = 25
  /// Words that the rule about secrets allows.
  public var knownWords: Set<String> = []

  /// The default settings.
  public init() {}
}
