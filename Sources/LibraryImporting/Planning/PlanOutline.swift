import Content
import Merging

/// What an import does, in groups and with the first of each group by name: for people.
public struct PlanOutline: Sendable {
  /// One record, or rows of one.
  public struct Entry: Sendable {
    /// Its title; its place where it has none.
    public let name: String
    /// What changes in it, or why it is as it is; empty where the group says all.
    public var details: [String] = []
  }

  /// Records of one kind with which the same is done.
  public struct Group: Sendable {
    /// `create`, `update`, `beside`, `conflict`, `reject`, `keep`, `gone` or `rename`.
    public let action: String
    /// What they are, one and many: `checklist`, `checklists`.
    public let noun: (one: String, many: String)
    /// How many there are.
    public internal(set) var count = 0
    /// The first of them.
    public internal(set) var entries: [Entry] = []
  }

  /// In the order of the actions, then in the order in which they were met.
  public private(set) var groups: [Group] = []
  /// How many entries of a group are kept by name.
  let limit: Int

  init(limit: Int) { self.limit = limit }

  private static let order = ImportDecision.Action.allCases.map(\.rawValue)

  /// Adds a record.
  /// - Parameter entry: makes its words, which are needed for the first of a group only.
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

  /// What a record is called: a kind of content by its own name.
  static func noun(_ kind: RecordKind, type: String?) -> (one: String, many: String) {
    guard kind == .item, let type, let known = ContentType(rawValue: type) else { return (kind.name, kind.plural) }
    return switch known {
    case .checklist: ("checklist", "checklists")
    case .practiceGuide: ("guide", "guides")
    case .flashcardDeck: ("deck", "decks")
    }
  }
}
