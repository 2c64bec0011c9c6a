import Content
import Diagnostics
import JSONText

/// One thing that content should be, looked at record by record.
///
/// One rule is one file: its doc comment is its published page (docs/rules), and the examples in it run as tests.
/// A fenced block `json good` must have no finding, `json bad POINTER…` exactly those. A rule sees every item
/// once, in source order, on one thread; what it remembers lives until the end of the run.
public protocol Rule: SendableMetatype {
  /// Code, name, severity and words.
  static var code: DiagnosticCode { get }
  /// When the rule is asked.
  static var layer: RuleLayer { get }

  /// Rules that say the same of a value and matter more: where one of them has spoken, this one is silent.
  static var yieldsTo: [DiagnosticCode] { get }

  /// Whether the rule asks for the ids of other records (`RuleReport.ids`), which are kept only then.
  static var comparesIDs: Bool { get }

  /// Makes the rule for one run.
  init(limits: RuleLimits)

  /// Looks at one item.
  mutating func check(_ item: ItemOutline, _ report: RuleReport)

  /// Looks at a record that is no item: a charter, an execution, a queue row.
  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport)

  /// Says what could be known only when every record was seen.
  mutating func finish(_ report: RuleReport)
}

extension Rule {
  /// Most rules are advice.
  public static var layer: RuleLayer { .lint }
  /// Most rules say something of their own.
  public static var yieldsTo: [DiagnosticCode] { [] }
  /// Most rules look at one record alone.
  public static var comparesIDs: Bool { false }
  /// Nothing about items.
  public mutating func check(_ item: ItemOutline, _ report: RuleReport) {}
  /// Nothing about other records.
  public mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {}
  /// Nothing to add.
  public mutating func finish(_ report: RuleReport) {}
}

/// When a rule is asked.
public enum RuleLayer: String, Sendable, CaseIterable {
  /// What the app and the registry require before anything leaves; asked with `--profile publish` and before each send.
  case publish
  /// Good seamanship and good text; always asked.
  case lint
}

/// Numbers that a rule may be given by `.fleetkit.yml`.
public struct RuleLimits: Sendable, Equatable {
  /// How many characters of a step can be read at a glance.
  public var glanceCharacters = 120
  /// How many minutes a single step may take before somebody doubts them; four times as many in maintenance.
  public var checklistMinutes = 120
  /// How many steps a section may have before somebody should split it.
  public var sectionSteps = 25
  /// Words that the rule about secrets lets pass.
  public var knownWords: Set<String> = []

  /// The numbers that hold when nobody says anything.
  public init() {}
}
