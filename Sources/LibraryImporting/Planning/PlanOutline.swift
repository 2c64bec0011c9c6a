import Content
import Merging

/// The changes of an import for people, in groups that name their first entries.
public struct PlanOutline: Sendable {
  /// One record, or some of its rows.
  public struct Entry: Sendable {
    /// The record's title, or its place if it has no title.
    public let name: String
    /// The changes to the record, or the reason why it stays unchanged; empty if the group needs no details.
    public var details: [String] = []
  }

  /// Records of one kind with the same action.
  public struct Group: Sendable {
    /// The action: `create`, `update`, `beside`, `conflict`, `reject`, `keep`, `gone` or `rename`.
    public let action: String
    /// Singular and plural of the kind: `checklist`, `checklists`.
    public let noun: (one: String, many: String)
    /// The number of records.
    public internal(set) var count = 0
    /// The first records.
    public internal(set) var entries: [Entry] = []
  }

  /// The groups in the order of actions, then in the order in which they were found.
  public private(set) var groups: [Group] = []
  /// How many entries of a group are kept with their names.
  let limit: Int

  init(limit: Int) { self.limit = limit }

  private static let order = ImportDecision.Action.allCases.map(\.rawValue)

  /// Adds a record.
  /// - Parameter entry: makes the entry; called only for the first entries of a group.
  mutating func add(_ action: ImportDecision.Action, _ noun: (one: String, many: String), _ entry: () -> Entry) {
    let place: Int
    if let found = groups.firstIndex(where: { $0.action == action.rawValue && $0.noun == noun }) {
      place = found
    } else {
      let rank = Self.order.firstIndex(of: action.rawValue) ?? 0
      place = groups.firstIndex { (Self.order.firstIndex(of: $0.action) ?? 0) > rank } ?? groups.count
      groups.insert(Group(action: action.rawValue, noun: noun), at: place)
    }
    groups[place].count += 1
    if groups[place].entries.count < limit { groups[place].entries.append(entry()) }
  }

  /// Returns the noun for a record. Each content type has its own noun.
  static func noun(_ kind: RecordKind, type: String?) -> (one: String, many: String) {
    guard kind == .item, let type, let known = ContentType(rawValue: type) else { return (kind.name, kind.plural) }
    return switch known {
    case .checklist: ("checklist", "checklists")
    case .practiceGuide: ("guide", "guides")
    case .flashcardDeck: ("deck", "decks")
    }
  }
}
