import Content
import JSONText

/// What an import changed among the steps of checklists and the cards of decks that the library had.
public struct StepChangeLog: Sendable, Equatable {
  /// What became of a step.
  public enum Change: String, Sendable, CaseIterable {
    /// It has another title, or says something else.
    case changed
    /// It is new.
    case added
    /// It has gone.
    case removed
    /// It stands elsewhere among the others.
    case moved
  }

  /// One step that changed.
  public struct Entry: Sendable, Equatable {
    /// The id of its item.
    public let item: String
    /// What its item is called.
    public let itemTitle: String
    /// Whether it is a card.
    public let isCard: Bool
    /// Its own id.
    public let id: String
    /// What became of it.
    public let change: Change
    /// Its title, before the change where it had one then.
    public let title: String
    /// Its title after the change; nil where that is the same.
    public let newTitle: String?
  }

  /// How many steps were changed, added, removed or moved. One that was changed and moved counts twice.
  public private(set) var steps: [Change: Int] = [:]
  /// The same for cards.
  public private(set) var cards: [Change: Int] = [:]
  /// The first of them.
  public private(set) var entries: [Entry] = []
  /// How many are not among `entries`.
  public private(set) var leftOut = 0

  private static let mostEntries = 1_000
  /// A list that was sorted anew has moved everywhere, which must not hide what else became of it.
  private static let mostMoved = 200
  private var movedEntries = 0

  /// How many changes there are.
  public var total: Int { steps.values.reduce(0, +) + cards.values.reduce(0, +) }

  mutating func add(_ changes: StepChanges, _ before: StepTree, _ after: StepTree, item: String, title: String) {
    func note(_ change: Change, _ step: StepTree.Step, _ new: StepTree.Step? = nil) {
      if after.hasSections { steps[change, default: 0] += 1 } else { cards[change, default: 0] += 1 }
      let fits = change == .moved ? movedEntries < Self.mostMoved : entries.count - movedEntries < Self.mostEntries
      guard fits else {
        leftOut += 1
        return
      }
      if change == .moved { movedEntries += 1 }
      let isRenamed = new.map { $0.title != step.title } ?? false
      entries.append(
        Entry(
          item: item, itemTitle: title, isCard: !after.hasSections, id: (new ?? step).id.text, change: change,
          title: Self.title(step), newTitle: isRenamed ? new.map(Self.title) : nil))
    }
    for pair in changes.changed { note(.changed, before.steps[pair.before], after.steps[pair.after]) }
    for index in changes.added { note(.added, after.steps[index]) }
    for index in changes.removed { note(.removed, before.steps[index]) }
    for pair in changes.moved { note(.moved, after.steps[pair.after]) }
  }

  private static func title(_ step: StepTree.Step) -> String {
    (step.node.member("title") ?? step.node.member("front"))?.string ?? ""
  }
}
