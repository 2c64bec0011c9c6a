import Content
import Foundation
import JSONText

/// The changes to the steps of a checklist, or the cards of a deck, when the checklist or deck is replaced.
struct StepChanges {
  /// Indices in the tree before or after the change, as the names indicate.
  private(set) var added: [Int] = []
  private(set) var changed: [(before: Int, after: Int)] = []
  private(set) var removed: [Int] = []
  private(set) var moved: [(before: Int, after: Int)] = []

  var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty && moved.isEmpty }

  /// Makes an empty list of changes.
  init() {}

  /// Compares two versions of a record by the ids of its steps.
  ///
  /// As few steps as possible count as moved: steps outside the longest sequence that has the same order before and
  /// after, and steps that are now in another section.
  init(_ before: StepTree, _ after: StepTree) {
    let found = IDPairs(before.steps, after.steps, id: \.id)
    added = found.added
    removed = found.removed
    changed = found.pairs.filter { !Self.sameValues(before.steps[$0.before].node, after.steps[$0.after].node) }
    for (pair, keeps) in zip(found.pairs, found.keepsOrder) {
      let old = before.sections[before.steps[pair.before].section].id
      if !keeps || old != after.sections[after.steps[pair.after].section].id { moved.append(pair) }
    }
  }

  /// Whether two versions of a step differ only in their position.
  private static func sameValues(_ one: JSONNode, _ other: JSONNode) -> Bool {
    func next(_ child: inout Int, _ node: JSONNode) -> (JSONNode, JSONNode)? {
      while child < Int(node.token.next) {
        let name = node.at(child)
        let value = node.at(child + 1)
        child = Int(value.token.next)
        if !name.equals("sortOrder") { return (name, value) }
      }
      return nil
    }
    var i = one.index + 1
    var j = other.index + 1
    while true {
      switch (next(&i, one), next(&j, other)) {
      case (nil, nil): return true
      case (let left?, let right?):
        guard RawString(left.0) == RawString(right.0), CanonicalValue.equal(left.1, right.1) else { return false }
      default: return false
      }
    }
  }
}

/// The changes to the sections of a checklist, without their steps, when the checklist is replaced.
struct SectionChanges {
  /// Indices in the tree after the change; for removed sections, indices in the tree before it.
  private(set) var added: [Int] = []
  private(set) var removed: [Int] = []
  private(set) var moved: [Int] = []
  /// Sections whose title or other values changed.
  private(set) var changed: [(before: Int, after: Int)] = []

  /// Compares two versions of a checklist by the ids of its sections. As few sections as possible count as moved.
  init(_ before: StepTree, _ after: StepTree) {
    let found = IDPairs(before.sections, after.sections, id: \.id)
    added = found.added
    removed = found.removed
    changed = found.pairs.filter { !Self.sameValues(before.sections[$0.before].node, after.sections[$0.after].node) }
    moved = zip(found.pairs, found.keepsOrder).filter { !$0.1 }.map(\.0.after)
  }

  private static func sameValues(_ one: JSONNode?, _ other: JSONNode?) -> Bool {
    ["title", "icon", "description"].allSatisfy { name in
      RawString(one?.member(name)) == RawString(other?.member(name))
    }
  }
}

/// The changes that an import makes to the sections and steps of existing checklists, and to the cards of existing
/// decks.
public struct StepChangeLog: Sendable, Equatable {
  /// What happened to a step.
  public enum Change: String, Sendable, CaseIterable {
    /// The step has a different title or different values.
    case changed
    /// The step is new.
    case added
    /// The step was removed.
    case removed
    /// The step has a different position among the others.
    case moved
  }

  /// One step that changed.
  public struct Entry: Sendable, Equatable {
    /// The id of the step's item.
    public let item: String
    /// The title of the step's item.
    public let itemTitle: String
    /// Whether the step is a card.
    public let isCard: Bool
    /// Whether the step is a section.
    public let isSection: Bool
    /// The step's own id.
    public let id: String
    /// What happened to the step.
    public let change: Change
    /// The step's title; the title before the change if the step existed then.
    public let title: String
    /// The step's title after the change; nil if the title is the same.
    public let newTitle: String?
  }

  /// How many steps were changed, added, removed or moved. A step that was changed and moved counts twice.
  public private(set) var steps: [Change: Int] = [:]
  /// How many sections were changed, added, removed or moved. A section counts as changed if its title or other values
  /// of its own are different.
  public private(set) var sections: [Change: Int] = [:]
  /// How many cards were changed, added, removed or moved.
  public private(set) var cards: [Change: Int] = [:]
  /// The first changes.
  public private(set) var entries: [Entry] = []
  /// The number of changes that are not in `entries`.
  public private(set) var leftOut = 0

  private static let mostEntries = 1_000
  /// The maximum number of listed moves. If a list was sorted again, nearly everything has moved, which must not hide
  /// other changes.
  private static let mostMoved = 200
  private var movedEntries = 0

  /// The total number of changes.
  public var total: Int {
    steps.values.reduce(0, +) + sections.values.reduce(0, +) + cards.values.reduce(0, +)
  }

  mutating func add(_ changes: StepChanges, _ before: StepTree, _ after: StepTree, item: String, title: String) {
    func record(_ change: Change, _ step: StepTree.Step, _ new: StepTree.Step? = nil) {
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
          item: item, itemTitle: title, isCard: !after.hasSections, isSection: false, id: (new ?? step).id.text,
          change: change, title: Self.title(step), newTitle: isRenamed ? new.map(Self.title) : nil))
    }
    if after.hasSections { add(sections: SectionChanges(before, after), before, after, item: item, title: title) }
    for pair in changes.changed { record(.changed, before.steps[pair.before], after.steps[pair.after]) }
    for index in changes.added { record(.added, after.steps[index]) }
    for index in changes.removed { record(.removed, before.steps[index]) }
    for pair in changes.moved { record(.moved, after.steps[pair.after]) }
  }

  private mutating func add(
    sections changes: SectionChanges, _ before: StepTree, _ after: StepTree, item: String, title: String
  ) {
    func record(_ change: Change, _ section: StepTree.Section, _ new: StepTree.Section? = nil) {
      sections[change, default: 0] += 1
      guard entries.count - movedEntries < Self.mostEntries else {
        leftOut += 1
        return
      }
      let isRenamed = new.map { $0.title != section.title } ?? false
      func name(_ section: StepTree.Section) -> String { section.node?.member("title")?.string ?? "" }
      entries.append(
        Entry(
          item: item, itemTitle: title, isCard: false, isSection: true, id: (new ?? section).id.text, change: change,
          title: name(section), newTitle: isRenamed ? new.map(name) : nil))
    }
    for pair in changes.changed { record(.changed, before.sections[pair.before], after.sections[pair.after]) }
    for index in changes.added { record(.added, after.sections[index]) }
    for index in changes.removed { record(.removed, before.sections[index]) }
    for index in changes.moved { record(.moved, after.sections[index]) }
  }

  private static func title(_ step: StepTree.Step) -> String {
    (step.node.member("title") ?? step.node.member("front"))?.string ?? ""
  }
}
