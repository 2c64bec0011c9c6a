import JSONText

/// What a list is made of.
enum TreeForm {
  /// Sections with steps.
  case sections
  /// Cards, in one section that has no name.
  case cards
  /// Things with ids, of which nothing else is known.
  case entries

  /// How what stands in a section is merged.
  var shape: MergeShape? {
    switch self {
    case .sections: .step
    case .cards: .card
    case .entries: nil
    }
  }

  /// What people call it.
  var noun: String {
    switch self {
    case .sections: "step"
    case .cards: "card"
    case .entries: "entry"
    }
  }

  var plural: String { self == .entries ? "entries" : noun + "s" }

  func title(_ node: JSONNode) -> JSONNode? {
    switch self {
    case .sections: node.member("title")
    case .cards: node.member("front")
    case .entries: node.member("title") ?? node.member("name") ?? node.member("id")
    }
  }
}

/// The sections and steps of one version of a list.
struct TreeSide {
  struct Section {
    /// Nil for the one that cards stand in.
    let node: JSONNode?
    let id: RawText
    var steps: Range<Int>
  }

  struct Step {
    let node: JSONNode
    let id: RawText
    /// The section that it stands in.
    let section: Int
  }

  private(set) var sections: [Section] = []
  private(set) var steps: [Step] = []

  /// Takes a list; nil where its elements are no objects with ids.
  init?(_ list: JSONNode?, _ form: TreeForm) {
    guard let list, !list.isNull else {
      if form != .sections { sections = [Section(node: nil, id: RawText(nil), steps: 0..<0)] }
      return
    }
    guard list.kind == .array else { return nil }
    guard form == .sections else {
      guard add(list, section: 0) else { return nil }
      sections = [Section(node: nil, id: RawText(nil), steps: 0..<steps.count)]
      return
    }
    var isSound = true
    list.forEachElement { section in
      let id = RawText(section.member("id"))
      let start = steps.count
      guard isSound, !id.isEmpty, add(section.member("items"), section: sections.count) else {
        isSound = false
        return
      }
      sections.append(Section(node: section, id: id, steps: start..<steps.count))
    }
    guard isSound else { return nil }
  }

  private mutating func add(_ list: JSONNode?, section: Int) -> Bool {
    guard let list else { return true }
    guard list.kind == .array else { return false }
    var isSound = true
    list.forEachElement { step in
      guard isSound, step.kind == .object else {
        isSound = false
        return
      }
      let id = RawText(step.member("id"))
      if id.isEmpty { isSound = false }
      steps.append(Step(node: step, id: id, section: section))
    }
    return isSound
  }
}
