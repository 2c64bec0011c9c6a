import Content

/// The sections and steps of a library's record after merging with a source, and their order.
///
/// A source with a whole checklist determines the order, and steps that it does not have are removed. A source with
/// only a part of a checklist removes nothing.
struct StepPlan {
  /// The origin of a step: the source, the library, or both.
  struct Step {
    let source: Int?
    let library: Int?
  }

  /// The origin of a section, and its steps.
  struct Section {
    let source: Int?
    let library: Int?
    var steps: [Step] = []
  }

  /// How much of a record a source contains.
  enum Extent: Equatable {
    /// The whole record.
    case whole
    /// All but some steps, in the source's order.
    case mostly
    /// Some steps, whose positions are given by `anchors`. Everything else is unchanged.
    case some([StepAnchor])
  }

  private(set) var sections: [Section] = []
  private let matching: StepMatching

  /// Makes the plan.
  /// - Parameter saysSections: whether the source has sections; otherwise steps stay in their sections.
  init(_ matching: StepMatching, _ extent: Extent, saysSections: Bool) {
    self.matching = matching
    switch extent {
    case .whole:
      takeSource(saysSections)
    case .mostly:
      takeSource(saysSections)
      keepRest()
    case .some(let anchors):
      takeLibrary()
      insert(anchors, saysSections)
    }
  }

  // MARK: The source's order

  private mutating func takeSource(_ saysSections: Bool) {
    let source = matching.source
    guard !saysSections, source.hasSections, !matching.library.sections.isEmpty else {
      sections = source.sections.indices.map { index in
        Section(
          source: index, library: matching.sections[index],
          steps: source.sections[index].steps.map { Step(source: $0, library: matching.steps[$0]) })
      }
      return
    }
    sections = matching.library.sections.indices.map { Section(source: nil, library: $0) }
    var section = 0
    for index in source.steps.indices {
      let library = matching.steps[index]
      if let library { section = matching.library.steps[library].section }
      sections[section].steps.append(Step(source: index, library: library))
    }
  }

  /// Adds the library's steps that the source does not have, each after the step that precedes it now.
  private mutating func keepRest() {
    let library = matching.library
    var home = [Int?](repeating: nil, count: library.steps.count)
    var planned = [Int?](repeating: nil, count: library.sections.count)
    for (index, section) in sections.enumerated() {
      if let other = section.library { planned[other] = index }
      for step in section.steps { if let other = step.library { home[other] = index } }
    }
    var heads: [Int: [Step]] = [:]
    var followers: [Int: [Step]] = [:]
    var added: [Int: [Section]] = [:]
    var last = -1
    for (index, section) in library.sections.enumerated() {
      guard let place = planned[index] else {
        let kept = section.steps.filter { home[$0] == nil }.map { Step(source: nil, library: $0) }
        added[last, default: []].append(Section(source: nil, library: index, steps: kept))
        continue
      }
      last = place
      var before: Int?
      for step in section.steps {
        if let home = home[step] {
          if home == place { before = step }
        } else if let before {
          followers[before, default: []].append(Step(source: nil, library: step))
        } else {
          heads[place, default: []].append(Step(source: nil, library: step))
        }
      }
    }
    var all = added[-1] ?? []
    for (index, section) in sections.enumerated() {
      var whole = Section(source: section.source, library: section.library, steps: heads[index] ?? [])
      for step in section.steps {
        whole.steps.append(step)
        if let other = step.library { whole.steps += followers[other] ?? [] }
      }
      all.append(whole)
      all += added[index] ?? []
    }
    sections = all
  }

  // MARK: The library's order

  private mutating func takeLibrary() {
    var twins: [Int: Int] = [:]
    for (index, other) in matching.steps.enumerated() { if let other { twins[other] = index } }
    var sectionTwins: [Int: Int] = [:]
    for (index, other) in matching.sections.enumerated() { if let other { sectionTwins[other] = index } }
    sections = matching.library.sections.enumerated().map { index, section in
      Section(
        source: sectionTwins[index], library: index,
        steps: section.steps.map { Step(source: twins[$0], library: $0) })
    }
  }

  /// Inserts steps that the library does not have at their positions.
  private mutating func insert(_ anchors: [StepAnchor], _ saysSections: Bool) {
    let library = matching.library
    let byID = Dictionary(
      library.steps.indices.map { (library.steps[$0].id.text.utf8Bytes, $0) }, uniquingKeysWith: { first, _ in first })
    let byTitle = Dictionary(
      library.steps.indices.map { (library.steps[$0].title.text.utf8Bytes, $0) },
      uniquingKeysWith: { first, _ in first })
    var heads: [Int: [Step]] = [:]
    var followers: [Int: [Step]] = [:]
    var tails: [Int: [Step]] = [:]
    var added: [Int: [Section]] = [:]
    var addedAt: [Int: Int] = [:]
    for index in matching.source.steps.indices where matching.steps[index] == nil {
      let step = Step(source: index, library: nil)
      let own = matching.source.steps[index].section
      let anchor = index < anchors.count ? anchors[index] : .unknown
      var behind: Int?
      if case .behind(let text) = anchor { behind = byID[text.utf8Bytes] ?? byTitle[text.utf8Bytes] }
      let place = behind.map { library.steps[$0].section }
      guard
        let target = saysSections || !matching.source.hasSections
          ? matching.sections[own] : place ?? library.sections.indices.last
      else {
        // The library does not have this section.
        let after = addedAt[own] ?? place ?? (anchor == .first ? -1 : library.sections.count - 1)
        if addedAt[own] == nil {
          addedAt[own] = after
          added[after, default: []].append(Section(source: own, library: nil))
        }
        if let last = added[after]?.firstIndex(where: { $0.source == own }) { added[after]?[last].steps.append(step) }
        continue
      }
      if let behind, let place, place == target {
        followers[behind, default: []].append(step)
      } else if anchor == .first || place.map({ $0 < target }) ?? false {
        heads[target, default: []].append(step)
      } else {
        tails[target, default: []].append(step)
      }
    }
    // These are sections of the source without steps.
    for (index, other) in matching.sections.enumerated()
    where other == nil && matching.source.sections[index].steps.isEmpty && saysSections {
      added[library.sections.count - 1, default: []].append(Section(source: index, library: nil))
    }
    var all = added[-1] ?? []
    for (index, section) in sections.enumerated() {
      var whole = Section(source: section.source, library: section.library, steps: heads[index] ?? [])
      for step in section.steps {
        whole.steps.append(step)
        if let other = step.library { whole.steps += followers[other] ?? [] }
      }
      whole.steps += tails[index] ?? []
      all.append(whole)
      all += added[index] ?? []
    }
    sections = all
  }
}

extension String {
  /// The string's bytes, for comparisons in which Unicode equivalence must not apply.
  fileprivate var utf8Bytes: [UInt8] { Array(utf8) }
}
