import Content
import JSONText

/// How the members of one kind of object are merged, in the order in which they are written.
struct MergeShape: Sendable {
  /// How one member is merged.
  enum Rule: Sendable {
    /// The identity and the kind of a record: always ours.
    case identity
    /// Publication, status, pins and counts: ours, unless they are merged like all other members.
    case own
    /// The time of creation: the earlier one if both differ from the base.
    case created
    /// The time of a change or of completion: the later one.
    case updated
    /// The progress: the larger number. The app recomputes the progress.
    case progress
    /// Texts: line by line.
    case text
    /// A set of words with an order.
    case tags
    /// A number, a reference or a word: taken from one side.
    case value
    /// Any value: objects are merged member by member.
    case any
    /// The document of an item.
    case document
    /// Sections, or cards.
    case tree
    /// The steps of a section, which are merged with the sections.
    case steps
    /// The number of the position, which is derived from the order.
    case position
    /// A card's progress: taken from the later review, never a mixture.
    case review
    /// The ticks of an execution: merged one by one.
    case ticks
  }

  let shape: Shape
  let rules: [Rule]
  let names: [String]

  init(_ shape: Shape) {
    self.shape = shape
    names = shape.members.map(\.nameText)
    rules = shape.members.map { Self.rule($0) }
  }

  private static func rule(_ member: ShapeMember) -> Rule {
    if let rule = rule(of: member.field.merge) { return rule }
    return switch member.kind {
    case .text: .text
    case .strings: .tags
    case .any, .extras, .object, .payload: .any
    default: .value
    }
  }

  /// Returns the rule of a policy; nil if the kind of value decides.
  static func rule(of policy: MergePolicy) -> Rule? {
    switch policy {
    case .kind, .id: .identity
    case .publication, .status, .statistics: .own
    case .created: .created
    case .updated, .completed: .updated
    case .progress: .progress
    case .document: .document
    case .parts: .tree
    case .steps: .steps
    case .position: .position
    case .review: .review
    case .ticks: .ticks
    case .content, .optional, .reference, .extras: nil
    }
  }

  static let item = MergeShape(Shapes.item)
  static let charter = MergeShape(Shapes.charter)
  static let execution = MergeShape(Shapes.execution)
  static let operation = MergeShape(Shapes.syncOperation)
  static let section = MergeShape(Shapes.checklistSection)
  static let step = MergeShape(Shapes.checklistItem)
  static let card = MergeShape(Shapes.card)
  static let tick = MergeShape(Shapes.itemState)
  private static let checklist = MergeShape(Shapes.checklist)
  private static let guide = MergeShape(Shapes.practiceGuide)
  private static let deck = MergeShape(Shapes.flashcardDeck)

  /// Returns the shape of the document of a content type; nil for unknown types.
  static func document(_ type: JSONNode?) -> MergeShape? {
    switch type?.string.flatMap(ContentType.init(rawValue:)) {
    case .checklist: checklist
    case .practiceGuide: guide
    case .flashcardDeck: deck
    case nil: nil
    }
  }
}

/// The members of one object by their positions in a shape, and the object's unknown members.
struct MergeMembers {
  let node: JSONNode?
  /// The token of each value by its position in the shape; -1 if the value is missing.
  private var known: [Int32]
  /// The tokens of the names of unknown members.
  private(set) var others: [Int] = []
  /// Whether a name occurs twice, so that it is ambiguous which value counts.
  private(set) var hasTwins = false

  init(_ node: JSONNode?, _ shape: MergeShape?) {
    self.node = node
    known = Array(repeating: -1, count: shape?.names.count ?? 0)
    guard let node, node.kind == .object else { return }
    var hint = 0
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      let index = shape?.shape.index(of: node.at(child).inner.span, from: hint) ?? -1
      if index >= 0 {
        if known[index] >= 0 { hasTwins = true }
        known[index] = Int32(truncatingIfNeeded: child + 1)
        hint = index + 1
      } else {
        others.append(child)
      }
      child = Int(node.tokens[child + 1].next)
    }
  }

  /// Returns a known member's value, including null; nil if the member is missing.
  subscript(index: Int) -> JSONNode? {
    guard let node, known[index] >= 0 else { return nil }
    return node.at(Int(known[index]))
  }

  /// Returns the unknown members by their names; nil if a name occurs twice.
  func otherValues() -> [RawString: JSONNode]? {
    guard let node else { return [:] }
    var values: [RawString: JSONNode] = [:]
    for name in others where values.updateValue(node.at(name + 1), forKey: RawString(node.at(name))) != nil {
      return nil
    }
    return values
  }
}

/// The words in the labels of conflicts.
package enum ConflictTerms {
  /// Returns the words for a member: `boat name`.
  package static func member(_ name: String) -> String {
    if let label = Shapes.field(named: name)?.label { return label }
    var words = ""
    var wasSmall = false
    for scalar in name.unicodeScalars.prefix(60) {
      if scalar == "_" {
        words += " "
      } else if scalar.properties.isUppercase, wasSmall {
        words += " " + scalar.properties.lowercaseMapping
      } else {
        words.unicodeScalars.append(scalar)
      }
      wasSmall = scalar.properties.isLowercase
    }
    return words
  }

  /// Returns `step "Check oil"`. Long titles are cut.
  package static func quoted(_ noun: String, _ title: JSONNode?) -> String {
    quoted(noun, title: title?.string)
  }

  /// Returns the same as `quoted(_:_:)` for a string.
  static func quoted(_ noun: String, title: String?) -> String {
    guard let title, !title.isEmpty else { return noun + " without a title" }
    let scalars = title.unicodeScalars
    guard scalars.count > 60 else { return "\(noun) \"\(title)\"" }
    return "\(noun) \"\(String(String.UnicodeScalarView(scalars.prefix(59))))…\""
  }

  /// Returns `lines 3–5 and 9`, with at most three ranges.
  static func lines(_ ranges: [Range<Int>]) -> String {
    let parts = ranges.prefix(3).map { range in
      range.count > 1 ? "\(range.lowerBound + 1)–\(range.upperBound)" : "\(range.lowerBound + 1)"
    }
    let isOne = ranges.count == 1 && ranges[0].count <= 1
    let last = parts.last ?? ""
    let list = parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " + last : last
    return (isOne ? "line " : "lines ") + list + (ranges.count > 3 ? ", and more" : "")
  }
}

/// The position of a merged value in a record, for conflicts. It holds nodes, so that words are made only for a
/// conflict.
final class MergePlace {
  /// The words for the value.
  enum Words {
    /// The record, its document or a list. These are not in the label, because the values inside are sufficient.
    case silent
    /// A section, a step or a card: `section "Engine"`.
    case titled(noun: String, title: JSONNode?)
    /// A member, by its name.
    case member(String)
  }

  let parent: MergePlace?
  let words: Words
  let ours: JSONNode?
  let theirs: JSONNode?
  /// The name in the parent, if the value is a member.
  let name: String?
  let depth: Int

  init(_ parent: MergePlace?, _ words: Words, name: String? = nil, ours: JSONNode?, theirs: JSONNode?) {
    self.parent = parent
    self.words = words
    self.name = name
    self.ours = ours
    self.theirs = theirs
    depth = (parent?.depth ?? 0) + 1
  }

  /// Returns the position of a member.
  func member(_ name: String, _ trio: ThreeVersions, silent: Bool = false) -> MergePlace {
    MergePlace(self, silent ? .silent : .member(name), name: name, ours: trio.ours, theirs: trio.theirs)
  }

  /// The label of a conflict: `section "Engine", step "Check oil", description`.
  var label: String {
    var parts: [String] = []
    var place: MergePlace? = self
    while let here = place {
      if let text = here.text { parts.append(text) }
      place = here.parent
    }
    return parts.reversed().joined(separator: ", ")
  }

  private var text: String? {
    switch words {
    case .silent: nil
    case .titled(let noun, let title): ConflictTerms.quoted(noun, title)
    case .member(let name): ConflictTerms.member(name)
    }
  }
}
