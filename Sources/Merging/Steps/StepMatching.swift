import Content
import JSONText

/// Finds out which section and which step of a source is which one of the library's: by id, by title, then by what is
/// left over and alike; never by number.
///
/// Ticks of a charter hang on the ids of steps, and reviews on those of cards. To take one step for another is worse
/// than to take it for a new one: a tick would stand at something that nobody has done.
/// - Source: docs/DESIGN.md, section 6
struct StepMatching {
  /// Whether steps are paired whose titles are no more than alike.
  enum Leniency {
    /// Never: what the source does not mention has not gone.
    case none
    /// When they are much alike: some of what the source does not mention has not gone.
    case strict
    /// When nothing else is as much alike.
    case full
  }

  let source: StepTree
  let library: StepTree
  /// Ids that may have been made from names in the source: the record's.
  private let recordID: String
  /// For each step of the source the library's, where it has one.
  private(set) var steps: [Int?]
  /// For each section of the source the library's, where it has one.
  private(set) var sections: [Int?]
  /// Whether a step, or a section, of the library belongs to one of the source.
  private(set) var takenSteps: [Bool]
  private(set) var takenSections: [Bool]

  /// Matches.
  /// - Parameter recordID: the id that the source has for the record.
  init(_ source: StepTree, with library: StepTree, recordID: String, _ leniency: Leniency = .full) {
    self.source = source
    self.library = library
    self.recordID = recordID
    steps = .init(repeating: nil, count: source.steps.count)
    sections = .init(repeating: nil, count: source.sections.count)
    takenSteps = .init(repeating: false, count: library.steps.count)
    takenSections = .init(repeating: false, count: library.sections.count)
    matchSectionsByNames()
    matchStepsByID()
    matchStepsByTitle()
    matchSectionsByContent()
    matchStepsInOrder()
    var leftovers = StepLeftovers(self, isNameless: namelessLeftovers(), leniency)
    for (mine, theirs) in leftovers.pairs() { pair(step: mine, theirs) }
  }

  mutating func pair(step mine: Int, _ theirs: Int) {
    guard steps[mine] == nil, !takenSteps[theirs] else { return }
    steps[mine] = theirs
    takenSteps[theirs] = true
  }

  private mutating func pair(section mine: Int, _ theirs: Int) {
    guard sections[mine] == nil, !takenSections[theirs] else { return }
    sections[mine] = theirs
    takenSections[theirs] = true
  }

  // MARK: Sections

  private mutating func matchSectionsByNames() {
    guard source.hasSections, library.hasSections else {
      if source.hasSections == library.hasSections { pair(section: 0, 0) }
      return
    }
    var byID: [RawText: Int] = [:]
    for (index, section) in library.sections.enumerated() where !section.id.isEmpty { byID[section.id] = index }
    for (index, section) in source.sections.enumerated() {
      guard let other = byID[section.id] else { continue }
      // An id that was made from the title of one section says nothing of one that has another title now.
      let isSame = section.title == library.sections[other].title
      if isSame || !wasMade(section.id, from: section.title, around: sectionParents) { pair(section: index, other) }
    }
    var byTitle: [RawText: [Int]] = [:]
    for index in library.sections.indices.reversed() where !takenSections[index] {
      byTitle[library.sections[index].title, default: []].append(index)
    }
    for (index, section) in source.sections.enumerated() where isLoose(section: index) {
      if let other = byTitle[section.title]?.popLast() { pair(section: index, other) }
    }
  }

  /// A section whose title was changed is the one that most of its steps come from.
  private mutating func matchSectionsByContent() {
    guard source.hasSections else { return }
    for index in source.sections.indices where isLoose(section: index) {
      var votes: [Int: Int] = [:]
      for step in source.sections[index].steps {
        if let other = steps[step] { votes[library.steps[other].section, default: 0] += 1 }
      }
      let best = votes.max { ($0.value, $1.key) < ($1.value, $0.key) }
      guard let best, !takenSections[best.key], 2 * best.value >= library.sections[best.key].steps.count else {
        continue
      }
      pair(section: index, best.key)
    }
    // What is left over on both sides, one each, between sections that belong together.
    for index in source.sections.indices where isLoose(section: index) {
      let before = index == 0 ? -1 : sections[index - 1]
      let after = index + 1 == source.sections.count ? library.sections.count : sections[index + 1]
      guard let before, let after, after - before == 2, !takenSections[before + 1] else { continue }
      let mine = StepTitle(source.sections[index].title.text)
      let theirs = StepTitle(library.sections[before + 1].title.text)
      if mine.likeness(theirs, weight: { _ in 1 }) >= 0.3, !mine.opposes(theirs) { pair(section: index, before + 1) }
    }
  }

  private func isLoose(section index: Int) -> Bool {
    sections[index] == nil && (source.sections[index].id.isEmpty || source.sections[index].id.isDerivedID)
  }

  // MARK: Steps

  private mutating func matchStepsByID() {
    var byID: [RawText: Int] = [:]
    for (index, step) in library.steps.enumerated() where !step.id.isEmpty { byID[step.id] = index }
    let counts = (Self.counts(source), Self.counts(library))
    for (index, step) in source.steps.enumerated() {
      guard let other = byID[step.id] else { continue }
      // An id that was made from a title is only as good as the title: the step that had it may have another one now,
      // and where several have one title, the first of them may have gone.
      let isClear =
        step.title == library.steps[other].title && counts.0[step.title] == 1 && counts.1[step.title] == 1
      if isClear || !wasMade(step) { pair(step: index, other) }
    }
  }

  private static func counts(_ tree: StepTree) -> [RawText: Int] {
    var counts: [RawText: Int] = [:]
    for step in tree.steps { counts[step.title, default: 0] += 1 }
    return counts
  }

  /// Whether a step may have come without an id, or with one that says nothing here.
  private func isLoose(step index: Int) -> Bool {
    steps[index] == nil && (source.steps[index].id.isEmpty || source.steps[index].id.isDerivedID)
  }

  /// Steps whose title is the only one of its kind on both sides, wherever they stand.
  private mutating func matchStepsByTitle() {
    var mine: [RawText: Int] = [:]
    var theirs: [RawText: Int] = [:]
    for index in source.steps.indices {
      mine[source.steps[index].title] = mine[source.steps[index].title] == nil ? index : -1
    }
    for index in library.steps.indices {
      theirs[library.steps[index].title] = theirs[library.steps[index].title] == nil ? index : -1
    }
    for (title, index) in mine where index >= 0 && isLoose(step: index) {
      if let other = theirs[title], other >= 0 { pair(step: index, other) }
    }
  }

  /// Titles that are there more than once, section by section in their order, then wherever they stand.
  private mutating func matchStepsInOrder() {
    guard source.steps.indices.contains(where: { isLoose(step: $0) }) else { return }
    for (index, other) in sections.enumerated() {
      guard let other else { continue }
      let mine = source.sections[index].steps
      let theirs = library.sections[other].steps
      for (step, twin) in commonSubsequence(mine, theirs) { pair(step: step, twin) }
      matchEqualTitles(mine, theirs)
    }
    matchEqualTitles(source.steps.indices, library.steps.indices)
  }

  private mutating func matchEqualTitles(_ mine: Range<Int>, _ theirs: Range<Int>) {
    var free: [RawText: [Int]] = [:]
    for index in theirs.reversed() where !takenSteps[index] {
      free[library.steps[index].title, default: []].append(index)
    }
    if free.isEmpty { return }
    for index in mine where isLoose(step: index) {
      if let other = free[source.steps[index].title]?.popLast() { pair(step: index, other) }
    }
  }

  /// Loose steps that have the same title as free ones, so that their order and that of the steps that belong together
  /// agree as far as it can be.
  private func commonSubsequence(_ mine: Range<Int>, _ theirs: Range<Int>) -> [(Int, Int)] {
    let free = Set(theirs.filter { !takenSteps[$0] }.map { library.steps[$0].title })
    guard !free.isEmpty, mine.contains(where: { isLoose(step: $0) && free.contains(source.steps[$0].title) }),
      mine.count * theirs.count <= 1_000_000
    else { return [] }
    func agree(_ i: Int, _ j: Int) -> Bool {
      if let other = steps[i] { return other == j }
      return !takenSteps[j] && isLoose(step: i) && source.steps[i].title == library.steps[j].title
    }
    let width = theirs.count + 1
    var lengths = [Int32](repeating: 0, count: (mine.count + 1) * width)
    for i in stride(from: mine.count - 1, through: 0, by: -1) {
      for j in stride(from: theirs.count - 1, through: 0, by: -1) {
        lengths[i * width + j] =
          agree(mine.lowerBound + i, theirs.lowerBound + j)
          ? lengths[(i + 1) * width + j + 1] + 1 : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
      }
    }
    var pairs: [(Int, Int)] = []
    var i = 0
    var j = 0
    while i < mine.count, j < theirs.count {
      if agree(mine.lowerBound + i, theirs.lowerBound + j) {
        pairs.append((mine.lowerBound + i, theirs.lowerBound + j))
        i += 1
        j += 1
      } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return pairs
  }

  // MARK: Ids that were made from names

  /// Steps that have no step of the library yet and came without an id.
  private func namelessLeftovers() -> [Bool] {
    guard takenSteps.contains(false) else { return .init(repeating: false, count: steps.count) }
    return source.steps.indices.map { isLoose(step: $0) && wasMade(source.steps[$0]) }
  }

  /// Whether a step's id was made from its title, because the source gave none.
  func wasMade(_ step: StepTree.Step) -> Bool {
    guard !step.id.isEmpty else { return true }
    guard source.hasSections else { return wasMade(step.id, from: step.title, around: sectionParents) }
    let section = source.sections[step.section]
    return wasMade(step.id, from: step.title, around: [section.id.text, section.title.text] + sectionParents)
  }

  /// What the document may have been called when ids were made in it.
  private var sectionParents: [String] { [recordID, ""] }

  /// - Source: `Canonicalizer.derivedID`
  private func wasMade(_ id: RawText, from title: RawText, around: [String]) -> Bool {
    guard id.isDerivedID else { return id.isEmpty }
    let text = id.text
    for parent in around.map(Canonicalizer.surroundings) {
      for repeats in 0..<Self.repeats
      where UUIDText.derived([recordID, parent, title.text, "\(repeats)"]).utf8
        .elementsEqual(text.utf8)
      { return true }
    }
    return false
  }

  /// How many steps of one title are looked for when an id is traced to its title.
  private static let repeats = 8
}
